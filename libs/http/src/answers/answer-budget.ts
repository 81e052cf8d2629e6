import { metrics } from '#telemetry';

/** Answers up to this size are small: the last quarter of the budget is theirs alone. */
const smallBytes = 1024 * 1024;

/**
 * Counts the bytes of answers that one process holds at the same time: while they are read from the store, and until
 * their clients have taken them. Large answers get three quarters of it, so that small ones go on while many large ones
 * wait.
 */
export class AnswerBudget {
  private used = 0;
  private lastRefusal = -Infinity;

  constructor(private readonly maxBytes: number) {}

  /** Opens a share that holds nothing yet. */
  share(): AnswerShare {
    return new AnswerShare({
      fits: (held, bytes) => this.fits(held, bytes),
      add: (bytes) => this.add(bytes),
    });
  }

  /** Whether something was refused since this time, in milliseconds of `performance.now()`, or more is held than there is room for. */
  tightSince(time: number): boolean {
    return this.used > this.maxBytes || this.lastRefusal >= time;
  }

  private fits(held: number, bytes: number): boolean {
    const most = held + bytes > smallBytes ? this.maxBytes * 0.75 : this.maxBytes;
    if (this.used + bytes <= most) return true;
    this.lastRefusal = performance.now();
    return false;
  }

  private add(bytes: number): void {
    this.used += bytes;
    metrics.httpAnswerBytes.set(this.used);
  }
}

interface Budget {
  /** Whether a share that holds `held` bytes may grow by `bytes`. */
  fits(held: number, bytes: number): boolean;
  add(bytes: number): void;
}

/** The bytes that one answer holds. */
export class AnswerShare {
  private held = 0;
  private ended = false;

  constructor(private readonly budget: Budget) {}

  /** Grows the share if the budget has room for it; else returns false and changes nothing. */
  take(bytes: number): boolean {
    if (this.ended || !this.budget.fits(this.held, bytes)) return this.ended;
    this.force(bytes);
    return true;
  }

  /** Grows the share whether or not the budget has room, for an answer that must be sent. */
  force(bytes: number): void {
    if (this.ended) return;
    this.held += bytes;
    this.budget.add(bytes);
  }

  /** Gives everything back. A share that has ended holds nothing, whatever it takes. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.budget.add(-this.held);
  }
}
