import { ProblemError } from '#api';
import { waitInQueue } from '../reads/bulkhead.js';

/** How many operations of a key wait for another one to end, and how long one waits, in milliseconds. */
interface ApiKeyQueueLimits {
  queued: number;
  waitMs: number;
}

/** Limits how many operations of one kind, such as exports, each API key runs at the same time in this process. */
export class PerKeyConcurrencyLimiter {
  private readonly running = new Map<string, number>();
  /** The operations that wait, in the order in which they came. */
  private readonly waiting = new Map<string, Set<() => void>>();

  /** @param what name of the operations in the plural, such as `SQL statements` */
  constructor(
    private readonly most: number,
    private readonly what: string,
  ) {}

  /**
   * Counts one more running operation. Call the returned function when the operation has ended. Callers without a key
   * are not limited.
   * @throws ProblemError 429 `too_many_requests`
   */
  enter(keyId: string | null): () => void {
    if (keyId === null) return () => undefined;
    const count = this.running.get(keyId) ?? 0;
    if (count >= this.most) throw this.tooMany();
    this.running.set(keyId, count + 1);
    return () => this.leave(keyId);
  }

  /**
   * Like `enter`, but waits for another operation of the key to end: a dashboard starts all its statements at once.
   * @throws ProblemError 429 `too_many_requests` when too many wait, or none ends in time
   * @throws the signal's reason once it is aborted
   */
  async enterInTurn(
    keyId: string | null,
    signal: AbortSignal,
    limits: ApiKeyQueueLimits,
  ): Promise<() => void> {
    if (keyId === null || (this.running.get(keyId) ?? 0) < this.most) return this.enter(keyId);
    signal.throwIfAborted();
    const queue = this.waiting.get(keyId) ?? new Set();
    if (queue.size >= limits.queued) throw this.tooMany();
    this.waiting.set(keyId, queue);
    // An operation that ends leaves its slot to the one that has waited longest.
    await waitInQueue(queue, { signal, waitMs: limits.waitMs, late: () => this.tooMany() }).finally(() => {
      if (queue.size === 0 && this.waiting.get(keyId) === queue) this.waiting.delete(keyId);
    });
    return () => this.leave(keyId);
  }

  private leave(keyId: string): void {
    const [next] = this.waiting.get(keyId) ?? [];
    if (next) return next();
    const left = (this.running.get(keyId) ?? 1) - 1;
    if (left === 0) this.running.delete(keyId);
    else this.running.set(keyId, left);
  }

  private tooMany(): ProblemError {
    const detail = `This key may run ${this.most} ${this.what} at once. Wait for one to end.`;
    return new ProblemError('too_many_requests', detail, { retryAfterSeconds: 1 });
  }
}
