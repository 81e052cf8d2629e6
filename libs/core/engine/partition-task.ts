import type { IdWindowReader } from '#dataflow';
import type { RecordBatch } from '#kafka';
import type { OwnedPartition } from './owned-partition.js';

/** Processes the records of one partition, from the partition's assignment to this process until its revocation. */
export interface PartitionTask {
  readonly partition: OwnedPartition;
  /** Offset from which the partition is read. */
  readonly start: number;
  /** First offset that the task processes. Records between `start` and `from` only warm up the id window. */
  readonly from: number;
  /** The id window that drops repeated event ids, if any. */
  readonly window?: Pick<IdWindowReader, 'bounds' | 'startAt'> | undefined;
  /** Resolves when the task is ready for its first batch, before whose record the window's log time is set. */
  readonly ready?: Promise<unknown>;
  /**
   * Processes a batch. Resolves when the next batch may come.
   * @throws FencedError when another process has taken over the partition
   * @throws IdWindowLostError when the task has fallen too far behind the other readers of the partition
   */
  take(batch: RecordBatch): Promise<void>;
  /** Called when the partition is no longer owned. */
  close(): void;
}

/** Opens the tasks of assigned partitions. */
export interface TaskFactory<Task extends PartitionTask> {
  /**
   * Opens the task of a partition at its last checkpoint. Resolves 'not-mine' if this process has nothing to do for the
   * topic now. The committed offset of the partition then does not move, and the topic is assigned again when a batch
   * arrives.
   */
  open(partition: OwnedPartition): Promise<Task | 'not-mine'>;
  /** Called when a partition of the topic was revoked, unless the host is stopping. */
  revoked?(topic: string): void;
}

/** Another process has taken over the partition and saved a newer checkpoint: the state here is stale. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}
