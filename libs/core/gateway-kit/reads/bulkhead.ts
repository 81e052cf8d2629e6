import { ProblemError } from '#api';
import { gauge } from '#telemetry';

export const readsRunning = gauge('tributary_reads_running', {
  help: 'Queries of this instance that ClickHouse runs now.',
});

const readsWaiting = gauge('tributary_reads_waiting', {
  help: 'Queries of this instance that wait to start now.',
});

/** How many reads run and wait at the same time, and how long one waits. */
interface BulkheadOptions {
  /** Limit of reads that run on the store at the same time. */
  concurrent: number;
  /** Limit of reads that wait for a slot; the next one is rejected. */
  queued: number;
  /** Longest time that a read waits for a slot, in milliseconds. */
  waitMs: number;
}

/**
 * Limits how many reads of the store run at the same time. Further reads wait in a bounded queue; a read leaves the
 * queue when its client disconnects. So many expensive queries at once do not take the capacity of ClickHouse that
 * inserts need.
 */
export class Bulkhead {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly options: BulkheadOptions) {}

  /** Number of reads that run or wait now. */
  get busy(): number {
    return this.running + this.waiting.size;
  }

  /** Whether a read would start at once. */
  get hasFreeSlot(): boolean {
    return this.running < this.options.concurrent;
  }

  /**
   * Runs a read as soon as a slot is free.
   * @throws ProblemError 503 `overloaded` when the queue is full, or no slot is free in time
   * @throws the signal's reason once it is aborted
   */
  async run<T>(signal: AbortSignal, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.hasFreeSlot) this.running++;
    else await this.waitForSlot(signal);
    readsRunning.inc();
    try {
      signal.throwIfAborted();
      return await read(signal);
    } catch (error) {
      // After an abort, the cause is the client's disconnect, whatever error the store throws.
      throw signal.aborted ? signal.reason : error;
    } finally {
      readsRunning.dec();
      // The read that has waited longest takes over the slot.
      const [next] = this.waiting;
      if (next) next();
      else this.running--;
    }
  }

  private async waitForSlot(signal: AbortSignal): Promise<void> {
    const { queued, waitMs } = this.options;
    if (this.waiting.size >= queued) throw overloaded();
    readsWaiting.inc();
    await waitInQueue(this.waiting, { signal, waitMs, late: overloaded }).finally(() => readsWaiting.dec());
  }
}

function overloaded(): ProblemError {
  return new ProblemError('overloaded', 'Too many queries are running; this one was not started.', {
    retryAfterSeconds: 1,
  });
}

/**
 * Adds a function to the queue, and resolves when somebody calls it. Rejects with `late()` after `waitMs`, and with the
 * signal's reason once it is aborted. In each case the function leaves the queue.
 */
export function waitInQueue(
  queue: Set<() => void>,
  { signal, waitMs, late }: { signal: AbortSignal; waitMs: number; late: () => Error },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
      queue.delete(granted);
      settle();
    };
    const granted = () => leave(resolve);
    const aborted = () => leave(() => reject(signal.reason as Error));
    const timer = setTimeout(() => leave(() => reject(late())), waitMs);
    if (signal.aborted) return aborted();
    signal.addEventListener('abort', aborted);
    queue.add(granted);
  });
}

/** Settles like the promise, or rejects with the signal's reason once the signal is aborted. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    return Promise.reject(signal.reason as Error);
  }
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
