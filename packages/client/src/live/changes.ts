import { path } from '../http/address.js';
import { readProjectionState, type ProjectionKeyState } from '../reading/states.js';
import type { JsonObject } from '../types/index.js';
import type { ServerSentEvent } from './event-stream-parser.js';
import type { LiveStreamRequestAndParser } from './live-stream.js';

/** A message of the live stream of a projection's changes. */
export type ProjectionChangeMessage<State = JsonObject> =
  /** The state of a key has changed. A change whose version is not greater than the known one must be ignored. */
  | ({ type: 'change' } & ProjectionKeyState<State>)
  /** The client has received all changes up to now; later ones arrive when they happen. */
  | { type: 'caught_up'; version: number }
  /**
   * The server now serves another generation of the projection: the client must discard all states that it has
   * received.
   */
  | { type: 'reset' };

/** Request for the live stream of a projection's changes, and the parser of its messages. */
export class ProjectionChangesRequestAndParser<State> implements LiveStreamRequestAndParser<
  ProjectionChangeMessage<State>
> {
  readonly request;

  constructor(name: string, snapshot: boolean) {
    this.request = { path: path`/api/v1/projections/${name}/changes`, query: { snapshot } };
  }

  read({ event, data = '{}' }: ServerSentEvent): ProjectionChangeMessage<State> | undefined {
    if (event === 'change') return Object.assign(readProjectionState<State>(data), { type: event } as const);
    if (event === 'caught_up') return { type: event, ...(JSON.parse(data) as { version: number }) };
    return event === 'reset' ? { type: event } : undefined;
  }
}
