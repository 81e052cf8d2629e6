import { StoreUnavailableError } from '../../errors.js';

/** Maximum number of pending removals of a process, including the running one. */
const maxPending = 100;

/** Runs removals of rows from ClickHouse one after the other, because each makes ClickHouse scan whole tables. */
export class InProcessRemovalQueue {
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /**
   * Runs a removal after all earlier ones, and resolves with its result. @throws StoreUnavailableError when 100
   * removals are pending
   */
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
