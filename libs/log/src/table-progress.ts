import { LogUnavailableError } from './errors.js';

interface Waiter {
  offset: number;
  resolve(): void;
  reject(error: Error): void;
}

/** How far a table reader is, and who waits for it to get further. */
export class TableProgress {
  private next = 0;
  private readonly waiters = new Set<Waiter>();
  /** Why nothing more will be read. */
  failure: Error | undefined;

  /** Everything before this offset has been handed over. */
  reached(next: number): void {
    this.next = next;
    for (const waiter of this.waiters) {
      if (waiter.offset < next) waiter.resolve();
    }
  }

  /** Nothing more will be read: who waits and who will wait is told so. The first reason stays. */
  fail(error: Error): void {
    this.failure ??= error;
    for (const waiter of this.waiters) waiter.reject(error);
    this.waiters.clear();
  }

  /** Resolves when the record at this offset has been handed over. @throws LogUnavailableError after the time-out, the failure at once */
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
