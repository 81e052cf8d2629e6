import { queryOf, path } from '../http/address.js';
import { readEvent, type StoredEvent } from '../reading/exact-reader.js';
import { readProjectionState, type ProjectionKeyState } from '../reading/states.js';
import type { LiveEventQuery, JsonObject } from '../types/index.js';
import type { LiveStreamRequestAndParser } from './live-stream.js';

/**
 * Request for the live stream of events, and the parser of its messages. The server does not send an id with every
 * event: after a reconnect it repeats the events after the last id, and this parser skips those.
 */
export function eventTail<Data>(filter: LiveEventQuery): LiveStreamRequestAndParser<StoredEvent<Data>> {
  const sinceLastId = new Set<string>();
  let lastId = '';
  return {
    request: { path: '/api/v1/events/stream', query: queryOf(filter) },
    read({ id, data }) {
      const event = data === undefined ? undefined : readEvent<Data>(data);
      const name = event && `${event.stream} ${event.event_id}`;
      const repeated = name !== undefined && sinceLastId.has(name);
      if (id !== lastId) sinceLastId.clear();
      else if (name !== undefined) sinceLastId.add(name);
      lastId = id;
      return repeated ? undefined : event;
    },
  };
}

/** A message of the live stream of a projection's changes. */
export type ProjectionChangeMessage<State = JsonObject> =
  /** The state of a key has changed. A change whose version is not greater than the known one must be ignored. */
  | ({ type: 'change' } & ProjectionKeyState<State>)
  /** The client has received all changes up to now; later ones arrive when they happen. */
  | { type: 'caught_up'; version: number }
  /** The server now serves another generation of the projection: the client must discard all received states. */
  | { type: 'reset' };

/** Request for the live stream of a projection's changes, and the parser of its messages. */
export function projectionChanges<State>(
  name: string,
  snapshot: boolean,
): LiveStreamRequestAndParser<ProjectionChangeMessage<State>> {
  return {
    request: { path: path`/api/v1/projections/${name}/changes`, query: { snapshot } },
    read({ event, data = '{}' }) {
      if (event === 'change')
        return Object.assign(readProjectionState<State>(data), { type: event } as const);
      if (event === 'caught_up') return { type: event, ...(JSON.parse(data) as { version: number }) };
      return event === 'reset' ? { type: event } : undefined;
    },
  };
}
