import { BufferFullError, ProducerClosedError } from '../errors/tributary-error.js';
import type { CallOptions, HttpClient } from '../http/http-client.js';
import type { NewEvent } from '../types/index.js';
import { byteLength, eventText, hashOf } from './event-text.js';
import { BatchSender } from './delivery.js';
import {
  type EventPosition,
  PendingEvent,
  type DeliveryObserver,
  type EncodedEvent,
} from './pending-event.js';
import { orAborted } from '../http/deadline.js';
import { requireKnownOptions } from '../http/known-options.js';
import { ProducerShard } from './producer-shard.js';
import { ByteBudget } from './byte-budget.js';
import { UuidV7Generator } from './uuid-v7.js';

/** Options of a producer: batches, buffer, time-outs and compression. */
export interface ProducerOptions {
  /** The maximum number of events in a batch; default 500. */
  batchEvents?: number;
  /** The maximum size of a batch in bytes before compression; default 1 MiB. */
  batchBytes?: number;
  /** Milliseconds that a batch waits for more events; default 5. */
  lingerMs?: number;
  /** The number of concurrent requests; default 4. Events of one entity use the same lane, so they keep their order. */
  lanes?: number;
  /** The maximum number of bytes of events that are neither acknowledged nor rejected; default 32 MiB. */
  maxBufferedBytes?: number;
  /** Behaviour when the buffer is full: `send` waits for room (default), or it rejects. */
  onFull?: 'wait' | 'reject';
  /** Milliseconds after which an event without acknowledgement is rejected with an unknown outcome; default 30 000. */
  deliveryTimeoutMs?: number;
  /** The time-out of one request in milliseconds; default 10 000. Comparing an expected version may take 10 s more. */
  requestTimeoutMs?: number;
  /** Bodies of at least this size are compressed; default 8192. `Infinity` disables compression. */
  gzipFromBytes?: number;
  /** Receives the warnings of answers: a stream was created although its name may be misspelt. Default: they are ignored. */
  onWarning?: (warning: string) => void;
}

/** Options of `Producer.send`. */
export interface SendOptions extends CallOptions {
  /** The event's `expected_version`: the event is accepted only if this is the version of its entity. */
  expectedVersion?: number;
}

const defaults = {
  ...{ batchEvents: 500, batchBytes: 1024 * 1024, lingerMs: 5, lanes: 4 },
  ...{ maxBufferedBytes: 32 * 1024 * 1024, onFull: 'wait' },
  ...{ deliveryTimeoutMs: 30_000, requestTimeoutMs: 10_000, gzipFromBytes: 8192 },
  onWarning: (_warning: string): void => undefined,
};

/** Writes events in batches, and repeats them until they are acknowledged. No accepted event is lost silently. */
export class Producer {
  private readonly options: typeof defaults;
  private readonly lanes: ProducerShard[];
  private readonly room: ByteBudget;
  private readonly ids = new UuidV7Generator();
  private readonly observer: DeliveryObserver;
  private closed = false;

  constructor(http: HttpClient, options: ProducerOptions, onWritten: (position: EventPosition) => void) {
    requireKnownOptions('A producer', options, Object.keys(defaults));
    this.options = { ...defaults, ...definedIn(options) };
    const { batchEvents: events, batchBytes: bytes, lingerMs, lanes } = this.options;
    const delivery = new BatchSender(http, this.options);
    const deliver = (batch: PendingEvent[]) => delivery.deliver(batch);
    this.lanes = Array.from({ length: lanes }, () => new ProducerShard({ events, bytes, lingerMs }, deliver));
    this.room = new ByteBudget(this.options.maxBufferedBytes);
    this.observer = { acknowledged: onWritten, settled: (event) => this.leave(event) };
  }

  /**
   * Sends an event and resolves with its position when Kafka has acknowledged it, or with its position and version
   * when its expected version was the version of the entity. The event is read at once, so later changes of the
   * object have no effect. @throws ProblemError if it was refused: VersionConflictError for another version.
   * UnknownOutcomeError if it was not acknowledged in time
   */
  send(event: NewEvent, { signal, expectedVersion }: SendOptions = {}): Promise<EventPosition> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.closed) throw new ProducerClosedError('The producer is closed.');
      const event_id = event.event_id ?? this.ids.next();
      const text = eventText(event, event_id, expectedVersion);
      const bytes = byteLength(text);
      if (this.options.onFull === 'reject' && !this.room.fits(bytes))
        throw new BufferFullError(
          `${this.options.maxBufferedBytes} bytes of events are not acknowledged yet.`,
        );
      const { stream, entity_id, expected_version } = event;
      const conditional = (expectedVersion ?? expected_version ?? undefined) !== undefined;
      const origin = { event_id, stream, entity: entity_id ?? undefined, conditional, text, bytes, signal };
      this.take(new PendingEvent(origin, { resolve, reject }, this.observer));
    });
  }

  /** Resolves when the buffer has room. A loop that does not await `send` awaits this, to bound the memory. */
  ready(): Promise<void> {
    return this.room.some();
  }

  /** Resolves when every event sent so far is acknowledged or rejected. */
  flush({ signal }: CallOptions = {}): Promise<void> {
    return orAborted(this.settled(), signal);
  }

  /** Accepts no more events, and resolves when every event sent before is acknowledged or rejected. */
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

  /**
   * Returns the lane of an event. Events without an entity use the lane with the shortest wait: with other waiting
   * events, not after a request in flight.
   */
  private laneOf({ stream, entity }: EncodedEvent): ProducerShard {
    if (entity !== undefined) return this.lanes[hashOf(stream, entity) % this.lanes.length]!;
    const free = this.lanes.find((lane) => !lane.isBusy);
    return free ?? this.lanes.reduce((shortest, lane) => (lane.length < shortest.length ? lane : shortest));
  }

  /** Resolves when all events are settled, including those that wait for room now. */
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
