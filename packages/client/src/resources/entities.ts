import { path } from '../http/address.js';
import type { JsonApiClient } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import type { Pages } from '../reading/pages.js';
import type { Entity, EntityAddress, EntityListQuery, ErasureResult } from '../types/index.js';

/** `client.entities`: lists and erases entities. */
export class Entities {
  constructor(private readonly api: JsonApiClient) {}

  /** Lists the entities of a stream, or of all streams, each with its latest version. */
  list(query: EntityListQuery = {}, options: CallOptions = {}): Pages<Entity> {
    return this.api.list({ path: '/api/v1/entities', name: 'entities', query }, options);
  }

  /** Erases the entity's events from the stream permanently. `confirm` must repeat the entity's id. */
  erase(
    { stream, entity_id }: EntityAddress,
    { confirm, ...options }: CallOptions & { confirm: string },
  ): Promise<ErasureResult> {
    return this.api.delete(path`/api/v1/entities/${entity_id}`, { query: { stream, confirm }, ...options });
  }
}
