import { queryOf } from '../http/address.js';
import { readEvent, type StoredEvent } from '../reading/stored-event.js';
import type { EventFilter } from '../types/event.js';
import type { StreamMessage } from './event-stream-parser.js';
import type { LiveSource } from './live-stream.js';

/**
 * The events that can be queried from now on, or since a time. Where ids are long not each event has one: those after the
 * last id come again when the connection breaks, and are passed over.
 */
export class TailSource<Data> implements LiveSource<StoredEvent<Data>> {
  readonly request;
  private readonly sinceLastId = new Set<string>();
  private lastId = '';

  constructor(filter: EventFilter) {
    this.request = { path: '/api/v1/events/stream', query: queryOf(filter) };
  }

  read({ id, data }: StreamMessage): StoredEvent<Data> | undefined {
    const event = data === undefined ? undefined : readEvent<Data>(data);
    const name = event && `${event.stream} ${event.event_id}`;
    const repeated = name !== undefined && this.sinceLastId.has(name);
    if (id !== this.lastId) this.sinceLastId.clear();
    else if (name !== undefined) this.sinceLastId.add(name);
    this.lastId = id;
    return repeated ? undefined : event;
  }
}
