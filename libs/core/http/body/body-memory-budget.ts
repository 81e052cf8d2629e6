import { ProblemError } from '#api';
import { httpBodyBytes } from '../metrics.js';

/**
 * Bounds the bytes of request bodies that this process holds at the same time. Bytes count when they arrive, not when
 * `Content-Length` announces them, so slow clients cannot use up the budget.
 */
export class BodyMemoryBudget {
  private used = 0;

  constructor(private readonly maxBytes: number) {}

  /** Counts `bytes` in the budget. @throws ProblemError 503 `overloaded` when the budget has no room */
  take(bytes: number): void {
    if (this.used + bytes > this.maxBytes) {
      throw new ProblemError('overloaded', 'Too many bytes of request bodies are in memory.');
    }
    this.add(bytes);
  }

  give(bytes: number): void {
    this.add(-bytes);
  }

  private add(bytes: number): void {
    this.used += bytes;
    httpBodyBytes.set(this.used);
  }
}

/**
 * The bytes that the body of one request uses of the body budget. The share grows while the body arrives, and is
 * returned when the request ends.
 */
export class BodyMemoryShare {
  private bytes = 0;
  private ended = false;

  constructor(private readonly budget: BodyMemoryBudget) {}

  /** Grows the share. @throws ProblemError 503 `overloaded` when the budget has no room */
  take(bytes: number): void {
    if (this.ended) return;
    this.budget.take(bytes);
    this.bytes += bytes;
  }

  /** Returns a part of the share to the body budget before the request ends. */
  giveBack(bytes: number): void {
    if (this.ended) return;
    this.budget.give(bytes);
    this.bytes -= bytes;
  }

  /** Whether the request has ended or was rejected. */
  get hasEnded(): boolean {
    return this.ended;
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    if (this.bytes > 0) this.budget.give(this.bytes);
  }
}
