import { path } from '../http/address.js';
import type { JsonApiClient } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import { Definitions } from './definitions.js';
import { ProjectionChangesRequestAndParser, type ProjectionChangeMessage } from '../live/changes.js';
import { LiveStream, type LiveOptions } from '../live/live-stream.js';
import type { Pages } from '../reading/pages.js';
import { readProjectionState, type ProjectionKeyState } from '../reading/states.js';
import type {
  WaitForPositions,
  JsonObject,
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
export class Projections extends Definitions<{
  Input: ProjectionInput;
  Definition: Projection;
  WithStats: ProjectionWithStats;
  Detail: ProjectionDetail;
}> {
  constructor(api: JsonApiClient) {
    super(api, 'projections');
  }

  /**
   * Replaces the definition. The states of the new version are computed from the events while reads still use the old
   * version; then reads use the new one.
   */
  replace(name: string, input: ProjectionReplacement, options: CallOptions = {}): Promise<Projection> {
    return this.api.put(path`/api/v1/projections/${name}`, { body: input, ...options });
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
