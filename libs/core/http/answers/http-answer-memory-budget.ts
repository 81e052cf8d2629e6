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
  private lastRejectedAt = -Infinity;

  constructor(private readonly maxBytes: number) {}

  /** Opens a share of the answer budget for one answer; the share begins with 0 bytes. */
  share(): HttpAnswerMemoryShare {
    return new HttpAnswerMemoryShare(this);
  }

  /** Returns whether the budget rejected a share since `time` (ms of `performance.now()`), or is overdrawn now. */
  tightSince(time: number): boolean {
    return this.used > this.maxBytes || this.lastRejectedAt >= time;
  }

  /** Returns whether the share of one answer, which has `own` bytes, may grow by `bytes`. */
  fits(own: number, bytes: number): boolean {
    const most = own + bytes > smallBytes ? this.maxBytes * 0.75 : this.maxBytes;
    if (this.used + bytes <= most) return true;
    this.lastRejectedAt = performance.now();
    return false;
  }

  /** Changes the used bytes. Only shares call it. */
  add(bytes: number): void {
    this.used += bytes;
    httpAnswerBytes.set(this.used);
  }
}

/** The bytes that one HTTP answer uses of the answer budget. */
export class HttpAnswerMemoryShare {
  private bytes = 0;
  private ended = false;

  constructor(private readonly budget: HttpAnswerMemoryBudget) {}

  /** Adds `bytes` and returns true; returns false and changes nothing if the answer budget has no room for them. */
  take(bytes: number): boolean {
    if (this.ended || !this.budget.fits(this.bytes, bytes)) return this.ended;
    this.force(bytes);
    return true;
  }

  /** Adds `bytes` to the share even if the answer budget has no room, for an answer that must be sent. */
  force(bytes: number): void {
    if (this.ended) return;
    this.bytes += bytes;
    this.budget.add(bytes);
  }

  /** Returns all bytes of the share to the budget. After that, `take` and `force` have no effect. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.budget.add(-this.bytes);
  }
}
