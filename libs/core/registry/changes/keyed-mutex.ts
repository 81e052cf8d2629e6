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
  async take<R>(thing: string, work: () => Promise<R>): Promise<R> {
    if (this.waiting >= this.most) {
      const detail = 'Too many definitions are being changed at once.';
      throw new ProblemError('overloaded', detail, { retryAfterSeconds: 1 });
    }
    this.waiting++;
    const turn = (this.last.get(thing) ?? Promise.resolve()).then(work);
    const over = turn.catch(() => undefined);
    this.last.set(thing, over);
    try {
      return await turn;
    } finally {
      this.waiting--;
      if (this.last.get(thing) === over) this.last.delete(thing);
    }
  }

  /** Resolves when all work that the mutex has accepted has ended. */
  async over(): Promise<void> {
    await Promise.all(this.last.values());
  }
}
