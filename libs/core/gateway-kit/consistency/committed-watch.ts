import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicAdmin } from '#kafka';

/** The consumer group and topic of a `CommittedOffsetsWatch`, its poll interval, and how it asks for a flush. */
interface CommittedOffsetsWatchOptions {
  admin: Pick<TopicAdmin, 'committed'>;
  group: string;
  topic: string;
  /** Milliseconds between two polls. */
  pollMs: number;
  /** Asks the group to store its pending events and commit; called while a request waits, with pauses that double. */
  flush(): void;
}

/**
 * Milliseconds from the first flush request to the second; each later pause is twice as long. The first one may reach the
 * consumer before it has fetched the awaited events. A client may wait for an offset that never comes, which must not
 * cause many small inserts.
 */
const firstFlushPauseMs = 100;

interface Waiter {
  partition: number;
  offset: number;
  settle(error?: Error): void;
}

/**
 * Watches the committed offsets of a consumer group in one topic, for all waiters together. Polls Kafka only while at
 * least one request waits, with one poll at a time.
 */
export class CommittedOffsetsWatch {
  private readonly waiters = new Set<Waiter>();
  private committed = new Map<number, number>();
  private polling = false;
  private nextFlushAt = 0;
  private flushPauseMs = firstFlushPauseMs;

  constructor(private readonly options: CommittedOffsetsWatchOptions) {}

  get size(): number {
    return this.waiters.size;
  }

  /** Resolves when the group has committed past the offset. Rejects when the log fails, or with the signal's reason. */
  passed(position: { partition: number; offset: number }, signal: AbortSignal): Promise<void> {
    if (this.hasPassed(position)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stop = () => waiter.settle(signal.reason as Error);
      const waiter: Waiter = {
        ...position,
        settle: (error) => {
          signal.removeEventListener('abort', stop);
          this.waiters.delete(waiter);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop);
      this.waiters.add(waiter);
      void this.poll();
    });
  }

  private async poll(): Promise<void> {
    if (this.polling) return;
    this.polling = true;
    this.flushPauseMs = firstFlushPauseMs;
    while (this.waiters.size > 0) {
      await this.pollOnce();
      if (this.waiters.size === 0) break;
      this.flush();
      await sleep(this.options.pollMs);
    }
    this.polling = false;
  }

  private async pollOnce(): Promise<void> {
    try {
      const { admin, group, topic } = this.options;
      this.committed = await admin.committed(group, topic);
    } catch (error) {
      for (const waiter of [...this.waiters]) waiter.settle(error as Error);
      return;
    }
    const passed = [...this.waiters].filter((waiter) => this.hasPassed(waiter));
    if (passed.length > 0) this.flushPauseMs = firstFlushPauseMs;
    for (const waiter of passed) waiter.settle();
  }

  private flush(): void {
    const now = performance.now();
    if (now < this.nextFlushAt) return;
    this.nextFlushAt = now + this.flushPauseMs;
    this.flushPauseMs *= 2;
    this.options.flush();
  }

  private hasPassed({ partition, offset }: { partition: number; offset: number }): boolean {
    return (this.committed.get(partition) ?? 0) > offset;
  }
}
