import type { EventPosition } from './event-position.js';

/** What a producer keeps of an event until its outcome is known. */
export interface Origin {
  event_id: string;
  stream: string;
  /** Undefined where it has none: then its place among others does not matter. */
  entity: string | undefined;
  /** JSON text; empty once there is an outcome. */
  text: string;
  bytes: number;
  /** Gives it up. What is on its way may be stored all the same. */
  signal?: AbortSignal;
}

/** What the promise of `send` is settled with. */
export interface Outcome {
  resolve: (position: EventPosition) => void;
  reject: (reason: unknown) => void;
}

/** Hears of the outcome of each event before its promise is settled. */
export interface Observer {
  acknowledged(position: EventPosition): void;
  /** Called once, whatever the outcome is. */
  settled(event: PendingEvent): void;
}

/** An event that was given to a producer and has no outcome yet. Thousands wait at once: it has no closures. */
export class PendingEvent {
  /** Requests that carried it. */
  attempts = 0;
  /** When the producer took it, in milliseconds of a clock that does not step. */
  takenAt = 0;
  settled = false;
  private readonly onAbort: (() => void) | undefined;

  constructor(
    readonly origin: Origin,
    private readonly outcome: Outcome,
    private readonly observer: Observer,
  ) {
    const { signal } = origin;
    if (!signal) return;
    this.onAbort = () => this.reject(signal.reason);
    if (signal.aborted) this.onAbort();
    else signal.addEventListener('abort', this.onAbort, { once: true });
  }

  resolve({ partition, offset }: { partition: number; offset: number }): void {
    if (!this.settle()) return;
    const { event_id, stream } = this.origin;
    const position = { event_id, stream, partition, offset };
    this.observer.acknowledged(position);
    this.outcome.resolve(position);
  }

  reject(reason: unknown): void {
    if (this.settle()) this.outcome.reject(reason);
  }

  private settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    // A batch that is complete may wait for a request: it need not hold the text.
    this.origin.text = '';
    const { signal } = this.origin;
    if (this.onAbort && !signal?.aborted) signal?.removeEventListener('abort', this.onAbort);
    this.observer.settled(this);
    return true;
  }
}
