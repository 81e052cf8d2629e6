import { ProblemError } from '#api';
import { metrics } from '#telemetry';

export interface BulkheadOptions {
  /** Reads that the store works on at once. */
  concurrent: number;
  /** Reads that wait for their turn; one more is refused. */
  queued: number;
  /** Milliseconds that a read waits for its turn at most. */
  waitMs: number;
}

/**
 * The one way to the store's reader: so many at once, a bounded queue for the rest, and none for those whose client has
 * gone. Ten full-range queries take their turns and leave the machine to writing.
 */
export class Bulkhead {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly options: BulkheadOptions) {}

  /**
   * @throws ProblemError 503 `overloaded` when the queue is full or the turn does not come in time.
   * @throws the signal's reason once it is aborted.
   */
  async run<T>(signal: AbortSignal, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    await this.turn(signal);
    metrics.readsRunning.inc();
    try {
      signal.throwIfAborted();
      return await read(signal);
    } catch (error) {
      // However the store words an abort, the reason is that the client has gone.
      throw signal.aborted ? signal.reason : error;
    } finally {
      metrics.readsRunning.dec();
      this.running--;
      this.next();
    }
  }

  /** Takes a place among the running ones; the caller gives it back. */
  private async turn(signal: AbortSignal): Promise<void> {
    if (this.running < this.options.concurrent) {
      this.running++;
      return;
    }
    if (this.waiting.size >= this.options.queued) throw overloaded();
    metrics.readsWaiting.inc();
    await this.wait(signal).finally(() => metrics.readsWaiting.dec());
  }

  private wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abandoned);
        this.waiting.delete(granted);
      };
      const granted = () => {
        leave();
        this.running++;
        resolve();
      };
      const abandoned = () => {
        leave();
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        leave();
        reject(overloaded());
      }, this.options.waitMs);
      if (signal.aborted) return abandoned();
      signal.addEventListener('abort', abandoned);
      this.waiting.add(granted);
    });
  }

  private next(): void {
    const [first] = this.waiting;
    first?.();
  }
}

function overloaded(): ProblemError {
  return new ProblemError('overloaded', 'Too many queries are running; this one was not started.', {
    retryAfterSeconds: 1,
  });
}
