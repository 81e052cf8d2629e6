import { ProblemError } from '#api';

/**
 * A keyed mutex: work with the same key runs one after the other, work with different keys concurrently. The mutex
 * rejects work above a limit of running and waiting calls.
 */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();
  private waiting = 0;

  /** @param most the most running and waiting calls, over all keys */
  constructor(private readonly most: number) {}

  /** Runs `work` after all earlier work with the same key. @throws ProblemError overloaded if `most` is reached */
  async runExclusive<R>(key: string, work: () => Promise<R>): Promise<R> {
    if (this.waiting >= this.most) {
      const detail = 'Too many definitions are being changed at once.';
      throw new ProblemError('overloaded', detail, { retryAfterSeconds: 1 });
    }
    this.waiting++;
    const result = (this.last.get(key) ?? Promise.resolve()).then(work);
    const settled = result.catch(() => undefined);
    this.last.set(key, settled);
    try {
      return await result;
    } finally {
      this.waiting--;
      if (this.last.get(key) === settled) this.last.delete(key);
    }
  }

  /** Resolves when all work that the mutex has accepted has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.last.values());
  }
}
