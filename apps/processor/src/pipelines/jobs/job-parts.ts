import type { Checkpointer, KnownErasures, Progress, Retry } from '#engine';
import type { StreamId, TopicNames } from '#event';
import type { Definitions } from '#registry';
import type { Log, Producer } from '#log';
import type { EventWriter, KeyedStateReader, KeyedStateWriter } from '#store';
import type { IdWindowBounds } from '#dataflow';
import type { Tracing } from '#telemetry';
import type { Sink } from '../output/sink.js';
import type { PartitionState, UnsavedBatch } from '../state/partition-state.js';
import type { RowBudget } from '../state/partition-rows.js';
import type { ProjectionTables } from '../lookups/projection-tables.js';
import type { Failover, OutputDeduplication } from '../output/output-deduplication.js';

/** Saves what partitions of jobs have come to. */
export type JobCheckpointer = Checkpointer<PartitionState, UnsavedBatch>;

/** In milliseconds. */
export interface Pace {
  /** Between two words to a stage while records come. */
  tellMs: number;
  /** Between two saves of a partition in which nothing happens but that its feeders say so. */
  quietSaveMs: number;
  /** That an internal topic may seem to be gone: not every broker knows a new one at once. */
  goneMs: number;
}

/** What all jobs of a process share. */
export interface JobParts {
  log: Log;
  topics: TopicNames;
  producer: Pick<Producer, 'append'>;
  writer: Pick<KeyedStateWriter, 'load' | 'due' | 'progressOf' | 'save'> &
    Pick<KeyedStateReader, 'progress'> &
    Pick<EventWriter, 'appendDeadLetters'>;
  sink: Sink;
  /** What may have been written since the last save, where the readers' windows of ids do not reach. */
  deduplication(failover: Failover, signal: AbortSignal): Promise<OutputDeduplication | undefined>;
  tables: ProjectionTables;
  projections: Pick<Definitions['projections'], 'get'>;
  /** The id of the stream that has this name now. */
  streamId(name: string): StreamId | undefined;
  retry: Retry;
  checkpointer: JobCheckpointer;
  budget: RowBudget;
  erasures: KnownErasures;
  window: IdWindowBounds;
  progress: Progress;
  tracing: Tracing | undefined;
  pace: Pace;
  /** Milliseconds since 1970. */
  now: () => number;
  /** It cannot go on by itself. The process should end. */
  onFailure(error: unknown): void;
  /** The job cannot go on; others can. */
  giveUp(run: string, reason: string): void;
}
