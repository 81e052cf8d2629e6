import { ProblemError } from '#api';

/** Lets what concerns the same thing happen one after the other. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();
  private waiting = 0;

  /** @param most turns that are taken or waited for at a time, over all things */
  constructor(private readonly most: number) {}

  /** @throws ProblemError overloaded */
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

  /** Resolves when nobody has a turn. */
  async over(): Promise<void> {
    await Promise.all(this.last.values());
  }
}
