import { StoreUnavailableError } from '../../errors.js';

/** Removals that wait for others, at most. */
const mostWaiting = 100;

/** Runs removals one after the other: each of them has ClickHouse go through whole tables. */
export class RemovalQueue {
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** @throws StoreUnavailableError when too many wait already. */
  async run<T>(removal: () => Promise<T>): Promise<T> {
    if (this.waiting >= mostWaiting) {
      throw new StoreUnavailableError(`${mostWaiting} removals are waiting for their turn: try again later`);
    }
    this.waiting++;
    const before = this.last;
    const own = before.then(removal, removal).finally(() => this.waiting--);
    // Whoever comes next waits for the end of this one, however it ends.
    this.last = own.catch(() => undefined);
    return own;
  }
}
