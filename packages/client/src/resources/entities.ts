import { path } from '../http/address.js';
import type { JsonApiClient } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import type { Pages } from '../reading/pages.js';
import type {
  Entity,
  EntityAddress,
  EntityListQuery,
  ErasureResult,
  JsonObject,
  SnapshotListQuery,
} from '../types/index.js';
import {
  readCreatedSnapshot,
  readSnapshot,
  type CreatedEntityStateSnapshot,
  type EntityStateSnapshot,
} from '../reading/states.js';

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
    return this.api.change('DELETE', path`/api/v1/entities/${entity_id}`, {
      query: { stream, confirm },
      ...options,
    });
  }
}

/** `client.snapshots`: lists and creates snapshots of entities' states. */
export class Snapshots {
  constructor(private readonly api: JsonApiClient) {}

  /** Lists the snapshots of a stream, of an entity, or of both; the newest first. */
  list<State = JsonObject>(
    query: SnapshotListQuery,
    options: CallOptions = {},
  ): Pages<EntityStateSnapshot<State>> {
    const list = { path: '/api/v1/snapshots', name: 'snapshots', query };
    return this.api.list({ ...list, readItem: readSnapshot<State> }, options);
  }

  /** Stores the current state of an entity as a snapshot. */
  async make<State = JsonObject>(
    entity: EntityAddress,
    options: CallOptions = {},
  ): Promise<CreatedEntityStateSnapshot<State>> {
    const text = await this.api.changeForText('POST', '/api/v1/snapshots', { body: entity, ...options });
    return readCreatedSnapshot(text);
  }
}
