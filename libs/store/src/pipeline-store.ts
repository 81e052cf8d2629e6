import type { Micros } from '#event';

/** A partition that a run of a pipeline reads. */
export interface StagePartition {
  run: string;
  /** Empty for the stage that reads the sources. */
  stage: string;
  /** The source; empty for a partition of a stage's own topic. */
  stream: string;
  partition: number;
}

/** What a keyed stage knows of one window, or of one key. Of several with the same name the greatest position wins. */
export interface PipelineRow extends StagePartition {
  /** Unique in its partition. */
  name: string;
  /** JSON. */
  state: string;
  /** From this watermark on there is something to do with it, or it counts no more. */
  closes_at: Micros;
  /** The last record that changed it. */
  position: number;
  updated_at: Micros;
}

/** How far a run is in one partition. Of several the greatest `next` wins. */
export interface PipelineProgress extends StagePartition {
  /** Everything below this offset has been processed, and what came of it has been emitted. */
  next: number;
  /** Events that were read and are for the pipeline; that it emitted, dropped, had too late, could not process. In all. */
  processed: number;
  emitted: number;
  dropped: number;
  late: number;
  failed: number;
  /** Null before the first event. */
  watermark: Micros | null;
  /** JSON: whatever else the stage has to know to go on. */
  state: string;
  updated_at: Micros;
}

/** Rows by when they close, a page at a time. */
export interface DueQuery {
  /** Those that close up to this watermark, */
  until: Micros;
  /** and after this one: the last one of the page before. */
  after?: { closes_at: Micros; name: string } | undefined;
  limit: number;
}

/** What of a stage's partition has closed. */
export interface ClosedRows {
  stage: string;
  partition: number;
  /** A watermark that is saved. */
  until: Micros;
}

/** What a processor needs. Writing the same again changes nothing, and what is older never wins. */
export interface PipelineWriter {
  /**
   * Of one run all of it is there at once, or nothing: no row is ahead of its progress.
   * @throws StoreUnavailableError @throws StoreRefusedError
   */
  save(rows: readonly PipelineRow[], progress: readonly PipelineProgress[]): Promise<void>;
  /** Rows of these names, of one partition; names without one are left out. At most `maxPipelineRows`. */
  load(place: StagePartition, names: readonly string[]): Promise<PipelineRow[]>;
  /** By closing time, then name (bytewise). */
  due(place: StagePartition, query: DueQuery): Promise<PipelineRow[]>;
  progressOf(place: StagePartition): Promise<PipelineProgress | undefined>;
  /** Removes rows that have closed: nobody asks for them any more. */
  removeClosed(run: string, closed: readonly ClosedRows[]): Promise<void>;
  /** Removes all that a run has of stages. Safe to repeat. */
  removeStages(run: string, stages: readonly string[]): Promise<void>;
  /** Removes all that a run has. Safe to repeat. */
  removeRun(run: string): Promise<void>;
  /** Runs of which there is anything. */
  runs(): Promise<string[]>;
}

/** Rows that one question of a processor can name. */
export const maxPipelineRows = 10_000;

/** What the gateway needs. */
export interface PipelineReader {
  /** By run, stage, stream and partition. @throws QueryTooExpensiveError @throws StoreUnavailableError */
  progress(runs: readonly string[], signal?: AbortSignal): Promise<PipelineProgress[]>;
}
