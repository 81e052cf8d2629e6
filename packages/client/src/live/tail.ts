import { queryOf } from '../http/address.js';
import { readEvent, type StoredEvent } from '../reading/stored-event.js';
import type { EventFilter } from '../types/event.js';
import type { ServerSentEvent } from './event-stream-parser.js';
import type { LiveStreamSource } from './live-stream.js';

/**
 * Events from now on, or since a time. If ids are long, not every event has one. After a reconnect the server sends
 * the events after the last id again, and they are skipped.
 */
export class TailSource<Data> implements LiveStreamSource<StoredEvent<Data>> {
  readonly request;
  private readonly sinceLastId = new Set<string>();
  private lastId = '';

  constructor(filter: EventFilter) {
    this.request = { path: '/api/v1/events/stream', query: queryOf(filter) };
  }

  read({ id, data }: ServerSentEvent): StoredEvent<Data> | undefined {
    const event = data === undefined ? undefined : readEvent<Data>(data);
    const name = event && `${event.stream} ${event.event_id}`;
    const repeated = name !== undefined && this.sinceLastId.has(name);
    if (id !== this.lastId) this.sinceLastId.clear();
    else if (name !== undefined) this.sinceLastId.add(name);
    this.lastId = id;
    return repeated ? undefined : event;
  }
}
