import type { EpochMicros } from '#json';
import type { RecordBatch } from '#kafka';
import type { DeadLetter } from '#store';
import type { JobAndOperatorEventCounts } from '../output/counts.js';
import type { JobConfiguration } from './job-configuration.js';
import type { WatermarkBroadcaster } from '../output/watermark-broadcaster.js';
import type { Sink } from '../output/sink.js';
import type { JobPartitionState } from '../state/job-partition-state.js';
import type { ProjectionLookup } from '#features/pipelines/computation';
import type { LoadProjectionStates } from '../lookups/load-lookups.js';

/** Dependencies of the task of one partition. */
export interface StageTaskDependencies {
  state: JobPartitionState;
  /**
   * Returns the current configuration of the job. The task calls this function for each part of a batch, so a changed
   * definition applies from the next part on.
   */
  readonly current: () => JobConfiguration;
  sink: Sink;
  /** Loads projection states for `enrich`, and retries until the states are loaded. */
  readonly load: LoadProjectionStates;
  /** Resolves when the answers to lookups as of a time are final, for which a projection may take long. */
  readonly waitFor: (lookups: readonly ProjectionLookup[]) => Promise<void>;
  /** Stores dead letters, and retries until the dead letters are stored. */
  readonly saveDeadLetters: (letters: readonly DeadLetter[]) => Promise<void>;
  /** Waits for a permit to compute a batch. Resolves with a function that returns the permit. */
  readonly permit: () => Promise<() => void>;
  controls: WatermarkBroadcaster;
  readonly now: () => EpochMicros;
}

/** The result of processing one batch. */
export interface StageBatchResult {
  counts: JobAndOperatorEventCounts;
  duplicates: number;
  /** Whether the task has changes to save besides the offset. */
  changed: boolean;
}

/** Processes the records of one partition of a job, from the assignment of the partition to its revocation. */
export interface StageTask {
  readonly state: JobPartitionState;
  /**
   * Processes a batch. Rejects when the partition is revoked during the batch.
   * @throws FencedError when another process has taken over the partition
   */
  take(batch: RecordBatch): Promise<StageBatchResult>;
  /**
   * Broadcasts the watermark and the offset of the partition to the downstream stages, if the time for a broadcast has
   * come. Rejects if the broadcast fails.
   */
  tell(): Promise<void>;
  close(): void;
}
