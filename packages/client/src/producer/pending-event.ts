import type { EventPosition } from './event-position.js';

/** What a producer keeps of an event until its outcome is known. */
export interface Origin {
  event_id: string;
  stream: string;
  /** Undefined where it has none: then its place among others does not matter. */
  entity: string | undefined;
  /** JSON text. */
  text: string;
  bytes: number;
  /** Gives it up. What is on its way may be stored all the same. */
  signal?: AbortSignal;
}

/** Who is told the outcome. */
export interface Outcome {
  resolve: (position: EventPosition) => void;
  reject: (reason: unknown) => void;
  /** Called once, whatever the outcome is. */
  settled: (event: PendingEvent) => void;
}

/** An event that was given to a producer and has no outcome yet. */
export class PendingEvent {
  /** Requests that carried it. */
  attempts = 0;
  /** When the producer took it, in milliseconds of a clock that does not step. */
  takenAt = 0;
  settled = false;

  constructor(
    readonly origin: Origin,
    private readonly outcome: Outcome,
  ) {
    if (origin.signal?.aborted) this.onAbort();
    else origin.signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  resolve({ partition, offset }: { partition: number; offset: number }): void {
    if (!this.settle()) return;
    const { event_id, stream } = this.origin;
    this.outcome.resolve({ event_id, stream, partition, offset });
  }

  reject(reason: unknown): void {
    if (this.settle()) this.outcome.reject(reason);
  }

  private settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.origin.signal?.removeEventListener('abort', this.onAbort);
    this.outcome.settled(this);
    return true;
  }

  private readonly onAbort = () => this.reject(this.origin.signal?.reason);
}
