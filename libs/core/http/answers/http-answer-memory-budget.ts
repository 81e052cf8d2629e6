import { httpAnswerBytes } from '../metrics.js';

/** Largest answer that counts as small, in bytes. Only small answers may use the last quarter of the answer budget. */
const smallBytes = 1024 * 1024;

/**
 * Counts and limits the bytes of HTTP answers that this process holds in memory. An answer counts from the time its
 * bytes are counted in its share until its client has received it. A large answer is rejected when three quarters of
 * the budget are used, so that small answers still fit.
 */
export class HttpAnswerMemoryBudget {
  private used = 0;
  private lastRefusal = -Infinity;

  constructor(private readonly maxBytes: number) {}

  /** Opens a share of the answer budget for one answer; the share begins with 0 bytes. */
  share(): HttpAnswerMemoryShare {
    return new HttpAnswerMemoryShare({
      fits: (held, bytes) => this.fits(held, bytes),
      add: (bytes) => this.add(bytes),
    });
  }

  /**
   * Returns whether the budget rejected a share since `time` (milliseconds of `performance.now()`), or is overdrawn
   * now.
   */
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
    httpAnswerBytes.set(this.used);
  }
}

interface Budget {
  /** Returns whether the share of one answer, which has `held` bytes, may grow by `bytes`. */
  fits(held: number, bytes: number): boolean;
  add(bytes: number): void;
}

/** The bytes that one HTTP answer uses of the answer budget. */
export class HttpAnswerMemoryShare {
  private held = 0;
  private ended = false;

  constructor(private readonly budget: Budget) {}

  /**
   * Adds `bytes` to the share and returns true. Returns false and changes nothing if the answer budget has no room for
   * them.
   */
  take(bytes: number): boolean {
    if (this.ended || !this.budget.fits(this.held, bytes)) return this.ended;
    this.force(bytes);
    return true;
  }

  /** Adds `bytes` to the share even if the answer budget has no room, for an answer that must be sent. */
  force(bytes: number): void {
    if (this.ended) return;
    this.held += bytes;
    this.budget.add(bytes);
  }

  /** Returns all bytes of the share to the budget. After that, `take` and `force` have no effect. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.budget.add(-this.held);
  }
}
