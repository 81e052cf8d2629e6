import type { MaterializedPartition, PendingBatch } from '../partition/materialized-partition.js';
import { InsertQueue, type InsertQueueOptions } from './insert-queue.js';

/**
 * One `InsertQueue` for each shard of ClickHouse: the events of a shard that does not answer wait, and delay no other's. Each
 * queue has an equal part of `queueBytes`.
 */
export class InsertQueues {
  private readonly queues = new Map<number, InsertQueue>();

  constructor(private readonly options: InsertQueueOptions) {}

  /** Resolves when rows of `size` bytes may be built; see `WriteBehindQueue.permit`. */
  permit(state: MaterializedPartition, size: number): Promise<() => void> {
    return this.of(state).permit(state.ended, size);
  }

  add(batch: PendingBatch): void {
    this.of(batch.state).add(batch);
  }

  /** See `InsertQueue.drop`. */
  drop(state: MaterializedPartition): void {
    this.of(state).drop(state);
  }

  /** Makes the next insert into each shard start soon, because a reader waits. */
  flushSoon(): void {
    for (const queue of this.queues.values()) queue.flushSoon();
  }

  /** Resolves when all batches from before this call are stored or dropped, of one shard or of all. */
  async flush(shard?: number): Promise<void> {
    const flushed = [...this.queues].filter(([number]) => shard === undefined || number === shard);
    await Promise.all(flushed.map(([, queue]) => queue.flush()));
  }

  /** Discards all waiting batches. Nothing is inserted after this call. */
  abandon(): void {
    for (const queue of this.queues.values()) queue.abandon();
  }

  private of({ shard: { shard, shards } }: MaterializedPartition): InsertQueue {
    let queue = this.queues.get(shard);
    if (!queue) {
      const queueBytes = Math.ceil(this.options.queueBytes / shards);
      queue = new InsertQueue({ ...this.options, queueBytes });
      this.queues.set(shard, queue);
    }
    return queue;
  }
}
