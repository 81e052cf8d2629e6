import { path } from '../http/address.js';
import type { JsonApiClient } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import { ProjectionChangesRequestAndParser, type ProjectionChangeMessage } from '../live/changes.js';
import { LiveStream, type LiveOptions } from '../live/live-stream.js';
import type { Pages } from '../reading/pages.js';
import { readProjectionState, type ProjectionKeyState } from '../reading/states.js';
import type {
  WaitForPositions,
  JsonObject,
  ListQuery,
  Projection,
  ProjectionDetail,
  ProjectionWithStats,
  ProjectionInput,
  ProjectionReplacement,
  ProjectionStatesQuery,
} from '../types/index.js';

/** Options of `client.projections.changes`. */
export interface ChangesOptions extends LiveOptions {
  /** The stream begins with the current states of all keys. */
  snapshot?: boolean;
}

/** `client.projections`: defines, reads, changes and deletes projections. */
export class Projections {
  constructor(private readonly api: JsonApiClient) {}

  list(query: ListQuery = {}, options: CallOptions = {}): Pages<ProjectionWithStats> {
    return this.api.list({ path: '/api/v1/projections', name: 'projections', query }, options);
  }

  get(name: string, options: CallOptions = {}): Promise<ProjectionDetail> {
    return this.api.get({ path: path`/api/v1/projections/${name}`, ...options });
  }

  /** Defines a projection. Repeating the same definition changes nothing. */
  define(input: ProjectionInput, options: CallOptions = {}): Promise<Projection> {
    return this.api.post('/api/v1/projections', { body: input, ...options });
  }

  /**
   * Replaces the definition. The states of the new version are computed from the events while reads still use the old
   * version; then reads use the new one.
   */
  replace(name: string, input: ProjectionReplacement, options: CallOptions = {}): Promise<Projection> {
    return this.api.put(path`/api/v1/projections/${name}`, { body: input, ...options });
  }

  pause(name: string, options: CallOptions = {}): Promise<Projection> {
    return this.api.post(path`/api/v1/projections/${name}/pause`, options);
  }

  resume(name: string, options: CallOptions = {}): Promise<Projection> {
    return this.api.post(path`/api/v1/projections/${name}/resume`, options);
  }

  /**
   * Computes the states again from the events, starting where `from` of the definition says. Reads return the old
   * states until the new ones have caught up.
   */
  reset(name: string, options: CallOptions = {}): Promise<Projection> {
    return this.api.post(path`/api/v1/projections/${name}/reset`, options);
  }

  /** Deletes the projection with its states. */
  delete(name: string, options: CallOptions = {}): Promise<void> {
    return this.api.delete(path`/api/v1/projections/${name}`, options);
  }

  /** Returns the state of one key. */
  async state<State = JsonObject>(
    name: string,
    key: string,
    { signal, wait_for }: CallOptions & WaitForPositions = {},
  ): Promise<ProjectionKeyState<State>> {
    const text = await this.api.text({
      path: path`/api/v1/projections/${name}/state/${key}`,
      query: { wait_for },
      signal,
    });
    return readProjectionState(text);
  }

  states<State = JsonObject>(
    name: string,
    query: ProjectionStatesQuery = {},
    options: CallOptions = {},
  ): Pages<ProjectionKeyState<State>> {
    const list = { path: path`/api/v1/projections/${name}/state`, name: 'states', query };
    return this.api.list({ ...list, readItem: readProjectionState<State> }, options);
  }

  /** Streams the changes of the states, until the signal is aborted or the iteration ends. */
  changes<State = JsonObject>(
    name: string,
    { snapshot = false, ...options }: ChangesOptions = {},
  ): LiveStream<ProjectionChangeMessage<State>> {
    return new LiveStream(
      this.api.http,
      new ProjectionChangesRequestAndParser<State>(name, snapshot),
      options,
    );
  }
}
