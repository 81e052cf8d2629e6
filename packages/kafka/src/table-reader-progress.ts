import { LogUnavailableError } from './errors.js';

interface Waiter {
  offset: number;
  resolve(): void;
  reject(error: Error): void;
}

/** How far a global table reader has read. Callers can wait for an offset; if the reader stops, it rejects them. */
export class TableReaderProgress {
  private next = 0;
  private readonly waiters = new Set<Waiter>();
  /** The error that stopped the reader. */
  failure: Error | undefined;

  /**
   * Reports that every record before offset `next` has been passed to the reader's handler. Resolves the callers that
   * wait for an earlier offset.
   */
  reached(next: number): void {
    this.next = next;
    for (const waiter of this.waiters) {
      if (waiter.offset < next) waiter.resolve();
    }
  }

  /** Rejects present and later callers of `passed`, because the reader has stopped. The first error remains. */
  fail(error: Error): void {
    this.failure ??= error;
    for (const waiter of this.waiters) waiter.reject(error);
    this.waiters.clear();
  }

  /**
   * Resolves once the record at this offset has been passed to the handler.
   * @throws LogUnavailableError after `timeoutMs` milliseconds
   * @throws `failure` at once, if the reader has stopped
   */
  passed(offset: number, timeoutMs?: number): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    if (offset < this.next) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const late = (): void => {
        this.waiters.delete(waiter);
        reject(new LogUnavailableError(`offset ${offset} was not read in time`));
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
      const done = (): void => {
        clearTimeout(timer);
        this.waiters.delete(waiter);
        resolve();
      };
      const failed = (error: Error): void => {
        clearTimeout(timer);
        reject(error);
      };
      const waiter: Waiter = { offset, resolve: done, reject: failed };
      this.waiters.add(waiter);
    });
  }
}
