import { ProblemError } from '#api';
import { metrics } from '#telemetry';

/**
 * The bytes of request bodies that one process holds at the same time. Bytes count when they have arrived, not when
 * they are announced: slow clients cannot use it up with promises.
 */
export class BodyBudget {
  private used = 0;

  constructor(private readonly maxBytes: number) {}

  /** @throws ProblemError overloaded */
  take(bytes: number): void {
    if (this.used + bytes > this.maxBytes) {
      throw new ProblemError('overloaded', 'Too many bytes of request bodies are being handled at once.');
    }
    this.add(bytes);
  }

  give(bytes: number): void {
    this.add(-bytes);
  }

  private add(bytes: number): void {
    this.used += bytes;
    metrics.httpBodyBytes.set(this.used);
  }
}

/** The share of one request: it grows while the body arrives and is given back with the end of the request. */
export class BodyShare {
  private bytes = 0;
  private ended = false;

  constructor(private readonly budget: BodyBudget) {}

  /** @throws ProblemError overloaded */
  take(bytes: number): void {
    if (this.ended) return;
    this.budget.take(bytes);
    this.bytes += bytes;
  }

  /** A part that is no longer held. */
  giveBack(bytes: number): void {
    if (this.ended) return;
    this.budget.give(bytes);
    this.bytes -= bytes;
  }

  /** The request is over, or was refused. */
  get hasEnded(): boolean {
    return this.ended;
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    if (this.bytes > 0) this.budget.give(this.bytes);
  }
}
