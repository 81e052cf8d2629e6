import { LogUnavailableError } from './errors.js';

interface Waiter {
  offset: number;
  settle(error?: Error): void;
}

/** How far a global table reader has read. Callers can wait for an offset; if the reader stops, it rejects them. */
export class TableReaderProgress {
  private next = 0;
  private readonly waiters = new Set<Waiter>();
  /** The error that stopped the reader. */
  failure: Error | undefined;

  /** Every record before offset `next` has been passed to the handler. Resolves the callers that wait for them. */
  reached(next: number): void {
    this.next = next;
    for (const waiter of this.waiters) if (waiter.offset < next) waiter.settle();
  }

  /** Rejects present and later callers of `passed`, because the reader has stopped. The first error remains. */
  fail(error: Error): void {
    this.failure ??= error;
    for (const waiter of this.waiters) waiter.settle(error);
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
      const settle = (error?: Error): void => {
        clearTimeout(timer);
        this.waiters.delete(waiter);
        if (error) reject(error);
        else resolve();
      };
      const late = (): void => settle(new LogUnavailableError(`offset ${offset} was not read in time`));
      const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
      const waiter: Waiter = { offset, settle };
      this.waiters.add(waiter);
    });
  }
}
