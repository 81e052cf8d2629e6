import { StoreUnavailableError } from '../../errors.js';

/** Maximum number of pending removals, including the running one. */
const maxPending = 100;

/** Runs removals one after the other: each one makes ClickHouse scan whole tables. */
export class RemovalQueue {
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** @throws StoreUnavailableError when too many removals are pending. */
  async run<T>(removal: () => Promise<T>): Promise<T> {
    if (this.waiting >= maxPending) {
      throw new StoreUnavailableError(`${maxPending} removals are pending: try again later`);
    }
    this.waiting++;
    const before = this.last;
    const own = before.then(removal, removal).finally(() => this.waiting--);
    // The next removal runs after this one, whether it succeeds or fails.
    this.last = own.catch(() => undefined);
    return own;
  }
}
