import type { Checkpointer, KnownErasures, Progress, Retry } from '#engine';
import type { TopicNames } from '#event';
import type { Definitions } from '#registry';
import type { Log, Producer } from '#log';
import type { EventWriter, PipelineReader, PipelineWriter } from '#store';
import type { IdWindowBounds } from '#dataflow';
import type { Tracing } from '#telemetry';
import type { Emitter } from './emitter.js';
import type { PartitionState, UnsavedStretch } from './partition-state.js';
import type { RowBudget } from './partition-rows.js';
import type { ProjectionTables } from './projection-tables.js';
import type { Takeover, WrittenBefore } from './written-before.js';

/** Saves what partitions of runs have come to. */
export type JobCheckpointer = Checkpointer<PartitionState, UnsavedStretch>;

/** In milliseconds. */
export interface Pace {
  /** Between two words to a stage while records come. */
  tellMs: number;
  /** Between two saves of a partition in which nothing happens but that its feeders say so. */
  quietSaveMs: number;
  /** That an internal topic may seem to be gone: not every broker knows a new one at once. */
  goneMs: number;
}

/** What all runs of a process share. */
export interface RunParts {
  log: Log;
  topics: TopicNames;
  producer: Pick<Producer, 'append'>;
  writer: Pick<PipelineWriter, 'load' | 'due' | 'progressOf' | 'save'> &
    Pick<PipelineReader, 'progress'> &
    Pick<EventWriter, 'appendDeadLetters'>;
  emitter: Emitter;
  /** What may have been written since the last save, where the readers' windows of ids do not reach. */
  writtenBefore(takeover: Takeover, signal: AbortSignal): Promise<WrittenBefore | undefined>;
  tables: ProjectionTables;
  projections: Pick<Definitions['projections'], 'get'>;
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
  /** The run cannot go on; others can. */
  giveUp(run: string, reason: string): void;
}
