/** The id of a written event, and its stream, partition and offset in Kafka. */
export interface EventPosition {
  event_id: string;
  stream: string;
  partition: number;
  offset: number;
  /** The version of an event with an expected version; null if its entity has been erased since. */
  version?: number | null;
}

/** An event as a producer keeps it until the outcome is known: its JSON text, size and entity. */
export interface EncodedEvent {
  event_id: string;
  stream: string;
  /** Entity id of the event; undefined for an event without an entity, whose order does not matter. */
  entity: string | undefined;
  /** Whether the event has an expected version: its answer comes when the version has been compared. */
  conditional?: boolean;
  /** The JSON text; empty once there is an outcome. */
  text: string;
  bytes: number;
  /** Aborts the event. A request in flight may still store it. */
  signal?: AbortSignal;
}

/** The callbacks that settle the promise returned by `Producer.send`. */
interface PromiseCallbacks {
  resolve: (position: EventPosition) => void;
  reject: (reason: unknown) => void;
}

/** Callbacks of the producer that are called when an event gets its outcome, before its promise is settled. */
export interface DeliveryObserver {
  acknowledged(position: EventPosition): void;
  /** Each event calls this once, when it is acknowledged or rejected. */
  settled(event: PendingEvent): void;
}

/** An event without an outcome yet. It has no closures, because thousands wait at once. */
export class PendingEvent {
  /** The number of requests that contained the event. */
  attempts = 0;
  /** The time of acceptance in milliseconds of a monotonic clock. */
  takenAt = 0;
  settled = false;
  private readonly onAbort: (() => void) | undefined;

  constructor(
    readonly origin: EncodedEvent,
    private readonly outcome: PromiseCallbacks,
    private readonly observer: DeliveryObserver,
  ) {
    const { signal } = origin;
    if (!signal) return;
    this.onAbort = () => this.reject(signal.reason);
    if (signal.aborted) this.onAbort();
    else signal.addEventListener('abort', this.onAbort, { once: true });
  }

  resolve({ partition, offset, version }: Omit<EventPosition, 'event_id' | 'stream'>): void {
    if (!this.settle()) return;
    const { event_id, stream } = this.origin;
    const position = { event_id, stream, partition, offset, ...(version !== undefined && { version }) };
    this.observer.acknowledged(position);
    this.outcome.resolve(position);
  }

  reject(reason: unknown): void {
    if (this.settle()) this.outcome.reject(reason);
  }

  private settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    // Frees the text, because a complete batch may still wait for a request.
    this.origin.text = '';
    const { signal } = this.origin;
    if (this.onAbort && !signal?.aborted) signal?.removeEventListener('abort', this.onAbort);
    this.observer.settled(this);
    return true;
  }
}
