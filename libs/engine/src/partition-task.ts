import type { IdWindow } from '#dataflow';
import type { RecordBatch } from '#log';
import type { OwnedPartition } from './owned-partition.js';

/** What is done with one partition, from its assignment to its revocation. */
export interface PartitionTask {
  readonly partition: OwnedPartition;
  /** Where reading begins. */
  readonly start: number;
  /** Everything below it is done, or is not for this task: records between `start` and `from` only fill the window. */
  readonly from: number;
  /** Where it drops repeated ids. */
  readonly window?: IdWindow | undefined;
  /**
   * Resolves when it has taken what comes before its first batch. Until then its window is told nothing: the log time would
   * be that of a later record.
   */
  readonly ready?: Promise<unknown>;
  /**
   * Resolves when the next batch may come.
   * @throws FencedError when another process has gone on with the partition
   */
  take(batch: RecordBatch): Promise<void>;
  /** The partition is no longer ours. */
  close(): void;
}

export interface TaskFactory<Task extends PartitionTask> {
  /**
   * Makes the task of a partition, as it was saved last. Resolves 'not-mine' where there is nothing to do with the topic now:
   * nothing of it is read past, and it is assigned again when a batch of it comes.
   */
  open(partition: OwnedPartition): Promise<Task | 'not-mine'>;
  /** A partition of this topic has been taken away. */
  revoked?(topic: string): void;
}

/** Another process has gone on with the partition and saved it: what is known here is of the past. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}
