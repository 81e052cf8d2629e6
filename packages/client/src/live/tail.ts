import { queryOf } from '../http/address.js';
import { readEvent, type StoredEvent } from '../reading/stored-event.js';
import type { EventFilter } from '../types/index.js';
import type { ServerSentEvent } from './event-stream-parser.js';
import type { LiveStreamRequestAndParser } from './live-stream.js';

/**
 * Request for the live stream of events, and the parser of its messages. The server does not send an id with every
 * event: after a reconnect it repeats the events after the last id, and this parser skips those.
 */
export class EventTailRequestAndParser<Data> implements LiveStreamRequestAndParser<StoredEvent<Data>> {
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
