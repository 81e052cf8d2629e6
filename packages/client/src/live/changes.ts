import { path } from '../http/address.js';
import { readProjectionState, type ProjectionState } from '../reading/states.js';
import type { JsonObject } from '../types/json.js';
import type { StreamMessage } from './event-stream-parser.js';
import type { LiveSource } from './live-stream.js';

/** What a stream of changes says. */
export type Change<State = JsonObject> =
  /** The state of a key has changed. One whose version is not above what is known is passed over. */
  | ({ type: 'change' } & ProjectionState<State>)
  /** What was there has been sent. */
  | { type: 'caught_up'; version: number }
  /** Another version is read from now on: what is known so far is to be forgotten. */
  | { type: 'reset' };

/** The states of a projection as they change. */
export class ChangesSource<State> implements LiveSource<Change<State>> {
  readonly request;

  constructor(name: string, snapshot: boolean) {
    this.request = { path: path`/api/v1/projections/${name}/changes`, query: { snapshot } };
  }

  read({ event, data = '{}' }: StreamMessage): Change<State> | undefined {
    if (event === 'change') return Object.assign(readProjectionState<State>(data), { type: event } as const);
    if (event === 'caught_up') return { type: event, ...(JSON.parse(data) as { version: number }) };
    return event === 'reset' ? { type: event } : undefined;
  }
}
