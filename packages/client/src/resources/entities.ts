import { path } from '../http/address.js';
import type { Api } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import type { Pages } from '../reading/pages.js';
import type { Entity, EntityAddress, Erasure } from '../types/entity.js';
import type { ListQuery } from '../types/list.js';

export class Entities {
  constructor(private readonly api: Api) {}

  /** The entities of a stream, or of all, each with its last version. */
  list(query: ListQuery & { stream?: string } = {}, options: CallOptions = {}): Pages<Entity> {
    return this.api.list({ path: '/api/v1/entities', name: 'entities', query }, options);
  }

  /** Erases the entity's events from the stream, for good. `confirm` is its id once more. */
  erase(
    { stream, entity_id }: EntityAddress,
    { confirm, ...options }: CallOptions & { confirm: string },
  ): Promise<Erasure> {
    return this.api.delete(path`/api/v1/entities/${entity_id}`, { query: { stream, confirm }, ...options });
  }
}
