import { BufferFullError, ProducerClosedError } from '../errors/tributary-error.js';
import type { CallOptions, HttpClient } from '../http/http-client.js';
import type { NewEvent } from '../types/event.js';
import { byteLength } from './byte-length.js';
import { Delivery } from './delivery.js';
import type { EventPosition } from './event-position.js';
import { orAborted } from '../http/or-aborted.js';
import { eventText } from './event-text.js';
import { hashOf } from './hash-of.js';
import { Lane } from './lane.js';
import { PendingEvent, type Observer, type Origin } from './pending-event.js';
import { Room } from './room.js';
import { UuidV7Generator } from './uuid-v7.js';

export interface ProducerOptions {
  /** Events of one batch; default 500. */
  batchEvents?: number;
  /** Bytes of one batch before it is compressed; default 1 MiB. */
  batchBytes?: number;
  /** Milliseconds that a batch waits for more events; default 5. */
  lingerMs?: number;
  /** Requests on their way at once; default 4. Events of one entity share a lane, where they keep their order. */
  lanes?: number;
  /** Bytes of events without an outcome; default 32 MiB. */
  maxBufferedBytes?: number;
  /** Above that: `send` waits for room (default), or it rejects. */
  onFull?: 'wait' | 'reject';
  /** Milliseconds after which an event that was not acknowledged is rejected as unknown; default 30 000. */
  deliveryTimeoutMs?: number;
  /** Milliseconds that one request may take; default 10 000. */
  requestTimeoutMs?: number;
  /** Bodies of at least so many bytes are compressed; default 8192. `Infinity`: none. */
  gzipFromBytes?: number;
}

const defaults = {
  ...{ batchEvents: 500, batchBytes: 1024 * 1024, lingerMs: 5, lanes: 4 },
  ...{ maxBufferedBytes: 32 * 1024 * 1024, onFull: 'wait' },
  ...{ deliveryTimeoutMs: 30_000, requestTimeoutMs: 10_000, gzipFromBytes: 8192 },
};

/** Writes events in batches, and repeats what was not acknowledged. Nothing that it took is dropped. */
export class Producer {
  private readonly options: typeof defaults;
  private readonly lanes: Lane[];
  private readonly room: Room;
  private readonly ids = new UuidV7Generator();
  private readonly observer: Observer;
  private closed = false;

  constructor(http: HttpClient, options: ProducerOptions, onWritten: (position: EventPosition) => void) {
    this.options = { ...defaults, ...definedIn(options) };
    const { batchEvents: events, batchBytes: bytes, lingerMs, lanes } = this.options;
    const delivery = new Delivery(http, this.options);
    const deliver = (batch: PendingEvent[]) => delivery.deliver(batch);
    this.lanes = Array.from({ length: lanes }, () => new Lane({ events, bytes, lingerMs }, deliver));
    this.room = new Room(this.options.maxBufferedBytes);
    this.observer = { acknowledged: onWritten, settled: (event) => this.leave(event) };
  }

  /**
   * Resolves when Kafka has acknowledged the event, with its position. The event is read at once: what becomes of the
   * object later does not matter.
   * @throws ProblemError when it was refused, and UnknownOutcomeError when it was not acknowledged in time
   */
  send(event: NewEvent, { signal }: CallOptions = {}): Promise<EventPosition> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.closed) throw new ProducerClosedError('The producer is closed.');
      const event_id = event.event_id ?? this.ids.next();
      const text = eventText(event, event_id);
      const bytes = byteLength(text);
      if (this.options.onFull === 'reject' && !this.room.fits(bytes))
        throw new BufferFullError(`${this.options.maxBufferedBytes} bytes wait for their acknowledgement.`);
      const { stream, entity_id } = event;
      const origin = { event_id, stream, entity: entity_id ?? undefined, text, bytes, signal };
      this.take(new PendingEvent(origin, { resolve, reject }, this.observer));
    });
  }

  /** Resolves when the next `send` need not wait: for loops that do not await each event. */
  ready(): Promise<void> {
    return this.room.some();
  }

  /** Resolves when every event that was sent so far has its outcome. */
  flush({ signal }: CallOptions = {}): Promise<void> {
    return orAborted(this.settled(), signal);
  }

  /** Takes no more events, and resolves when those that it took have their outcome. */
  close(options: CallOptions = {}): Promise<void> {
    this.closed = true;
    return this.flush(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private take(event: PendingEvent): void {
    this.room.take(event.origin.bytes, () => {
      event.takenAt = performance.now();
      if (event.settled) this.leave(event);
      else this.laneOf(event.origin).add(event);
    });
  }

  private leave(event: PendingEvent): void {
    if (event.takenAt > 0) this.room.give(event.origin.bytes);
  }

  /** Events without an entity go where they arrive first: with others that wait, and not behind a request. */
  private laneOf({ stream, entity }: Origin): Lane {
    if (entity !== undefined) return this.lanes[hashOf(stream, entity) % this.lanes.length]!;
    const free = this.lanes.find((lane) => !lane.isBusy);
    return free ?? this.lanes.reduce((shortest, lane) => (lane.length < shortest.length ? lane : shortest));
  }

  /** Who waits for room by now enters before. */
  private settled(): Promise<void> {
    return new Promise((resolve) => this.room.take(0, () => resolve(this.delivered())));
  }

  private async delivered(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.flush()));
  }
}

function definedIn<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}
