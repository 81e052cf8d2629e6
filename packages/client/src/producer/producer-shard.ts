import type { PendingEvent } from './pending-event.js';

/** Limits of a batch: number of events, bytes, and the time that its first event waits. */
interface BatchLimits {
  events: number;
  bytes: number;
  lingerMs: number;
}

/** One of the producer's queues (option `lanes`): sends events in order, in batches, one request at a time. */
export class ProducerShard {
  private queue: PendingEvent[] = [];
  private queuedBytes = 0;
  private running = false;
  private added = 0;
  private delivered = 0;
  /** Ends the wait for more events. */
  private complete: (() => void) | undefined;
  private flushes: { until: number; resolve: () => void }[] = [];

  constructor(
    private readonly bounds: BatchLimits,
    private readonly deliver: (batch: PendingEvent[]) => Promise<void>,
  ) {}

  get isBusy(): boolean {
    return this.running && this.complete === undefined;
  }

  get length(): number {
    return this.queue.length;
  }

  add(event: PendingEvent): void {
    this.queue.push(event);
    this.queuedBytes += event.origin.bytes;
    this.added++;
    if (!this.running) void this.run();
    else if (this.isFull) this.complete?.();
  }

  /** Resolves when all events added so far have an outcome. `flush` does not wait for more events. */
  flush(): Promise<void> {
    if (!this.running) return Promise.resolve();
    return new Promise((resolve) => {
      this.flushes.push({ until: this.added, resolve });
      this.complete?.();
    });
  }

  private get isFull(): boolean {
    return this.queue.length >= this.bounds.events || this.queuedBytes >= this.bounds.bytes;
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.queue.length > 0) {
      await this.completeBatch();
      const batch = this.takeBatch();
      await this.deliver(batch);
      this.delivered += batch.length;
      this.endFlushes();
    }
    this.running = false;
  }

  private endFlushes(): void {
    while (this.flushes.length > 0 && this.flushes[0]!.until <= this.delivered)
      this.flushes.shift()!.resolve();
  }

  private async completeBatch(): Promise<void> {
    const waited = performance.now() - this.queue[0]!.takenAt;
    if (this.isFull || this.flushes.length > 0 || waited >= this.bounds.lingerMs) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.bounds.lingerMs - waited);
      this.complete = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.complete = undefined;
  }

  private takeBatch(): PendingEvent[] {
    let [count, bytes] = [0, 0];
    for (const { origin } of this.queue) {
      if (count === this.bounds.events || (count > 0 && bytes + origin.bytes > this.bounds.bytes)) break;
      count++;
      bytes += origin.bytes;
    }
    this.queuedBytes -= bytes;
    return this.queue.splice(0, count);
  }
}
