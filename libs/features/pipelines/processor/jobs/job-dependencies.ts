import type { Checkpointer, KafkaOrClickHouseRetrier } from '#engine';
import type { StreamId } from '#event';
import type { Definitions } from '#registry';
import type { Producer } from '#kafka';
import type { EventWriter, KeyedStateReader, KeyedStateStore } from '#store';
import type { Tracing } from '#telemetry';
import type { PartitionTaskDependencies, UnsavedStateChanges } from '#processor-kit';
import type { Sink } from '../output/sink.js';
import type { JobPartitionState } from '../state/job-partition-state.js';
import type { RowCacheBudget } from '../state/partition-row-cache.js';
import type { SideInputLoader } from '../lookups/side-input-loader.js';
import type { OperatorMetrics } from './operator-metrics.js';
import type { PartitionFailover, OutputDeduplication } from '../output/output-deduplication.js';

/** The checkpointer that all jobs of a process share. */
export type JobCheckpointer = Checkpointer<JobPartitionState, UnsavedStateChanges>;

/** Intervals and timeouts of jobs, in milliseconds. */
export interface JobIntervals {
  /** Minimum milliseconds between two watermark records to a stage while records arrive. */
  tellMs: number;
  /** Minimum milliseconds between two checkpoints of a partition that receives only watermark records. */
  quietSaveMs: number;
  /**
   * Milliseconds for which an internal topic may be missing before its records count as lost: some brokers learn of a
   * new topic late.
   */
  goneMs: number;
}

/** Dependencies that all jobs of a process share. */
export interface JobDependencies extends PartitionTaskDependencies {
  producer: Pick<Producer, 'append'>;
  writer: Pick<KeyedStateStore, 'load' | 'due' | 'progressOf' | 'save'> &
    Pick<KeyedStateReader, 'progress'> &
    Pick<EventWriter, 'appendDeadLetters'>;
  sink: Sink;
  /**
   * Resolves with the deduplication of output that the previous owner of a partition may have written after its last
   * checkpoint; undefined if the id windows of the target streams' readers suffice.
   */
  deduplication(failover: PartitionFailover, signal: AbortSignal): Promise<OutputDeduplication | undefined>;
  tables: SideInputLoader;
  projections: Pick<Definitions['projections'], 'get'>;
  /** Returns the id of the stream that has this name now; undefined if no stream has the name. */
  streamId(name: string): StreamId | undefined;
  retry: KafkaOrClickHouseRetrier;
  checkpointer: JobCheckpointer;
  budget: RowCacheBudget;
  stepMetrics: OperatorMetrics;
  tracing: Tracing | undefined;
  pace: JobIntervals;
  /** Returns the current time in milliseconds since 1970. */
  now: () => number;
  /** Called when a job cannot continue because of an unexpected error. The caller should end the process. */
  onFailure(error: unknown): void;
  /** Marks a job as failed, with the reason. Other jobs continue. */
  giveUp(run: string, reason: string): void;
}
