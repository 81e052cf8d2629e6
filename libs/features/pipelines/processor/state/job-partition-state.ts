import type { CheckpointedTask, OwnedPartition } from '#engine';
import type { EpochMicros } from '#json';
import { deadLettersWeight, type UnsavedStateChanges } from '#processor-kit';
import type { DeadLetter, PartitionCheckpoint, StatePartitionKey } from '#store';
import { noWatermark, pipelineLimits } from '#features/pipelines/computation';
import { zeroCounts, sumCounts, type JobAndOperatorEventCounts } from '../output/counts.js';
import type { PartitionRowCache } from './partition-row-cache.js';
import type { OutputDeduplication } from '../output/output-deduplication.js';

/** The result of a batch whose outputs are all written. */
export interface CompletedBatch {
  /** Offset below which all records are processed. */
  next: number;
  letters: readonly DeadLetter[];
  counts: JobAndOperatorEventCounts;
  watermark: EpochMicros;
  /**
   * The state besides the rows that is needed to continue from `next`: upstream positions as JSON, or the id of a
   * source stream.
   */
  state: string;
  /** Timestamp of the last record of the batch, in milliseconds; undefined for a batch without records. */
  timestamp: number | undefined;
}

export interface JobPartitionStateOptions {
  /** Name of the pipeline. */
  name: string;
  place: StatePartitionKey;
  partition: OwnedPartition;
  /** Offset of the first record to process. */
  from: number;
  progress: PartitionCheckpoint | undefined;
  /** The state rows of a keyed stage; undefined for sources and replays. */
  rows?: PartitionRowCache | undefined;
  before?: OutputDeduplication | undefined;
  now: () => EpochMicros;
}

/**
 * The progress of one partition of a job: the processed offset and watermark, the changes that wait to be saved, and
 * the saved progress. All members belong to the same offset, because they change only when a whole batch is completed.
 */
export class JobPartitionState implements CheckpointedTask<UnsavedStateChanges> {
  /** Name of the pipeline. */
  readonly name = this.options.name;
  readonly place = this.options.place;
  readonly partition = this.options.partition;
  readonly ended = this.options.partition.ended;
  next: number;
  watermark: EpochMicros;
  /** The state besides the rows that is needed to continue from `next`; see `CompletedBatch`. */
  state: string;
  /** The saved watermark. All rows whose closing time is at or before this watermark have closed. */
  savedWatermark: EpochMicros;
  /** Finds output of the next records that the previous owner of the partition may have written already. */
  before: OutputDeduplication | undefined;
  private savedNext: number;
  private counts: JobAndOperatorEventCounts;
  private letters: DeadLetter[] = [];
  private lettersWeight = 0;
  private timestamp = 0;
  /** Time at which the last batch was completed. The outputs of the next batch are written after this time. */
  private doneAt: EpochMicros;

  constructor(private readonly options: JobPartitionStateOptions) {
    const { progress, from } = options;
    this.next = from;
    this.before = options.before;
    this.doneAt = options.now();
    this.savedNext = progress?.next ?? -1;
    this.watermark = progress?.watermark ?? noWatermark;
    this.savedWatermark = this.watermark;
    this.state = progress?.state ?? '';
    const { processed, emitted, dropped, late, failed, steps = {} } = progress ?? zeroCounts;
    this.counts = { processed, emitted, dropped, late, failed, steps };
  }

  get isBehind(): boolean {
    return this.partition.isBehind(this.next);
  }

  get unsavedCount(): number {
    return (this.options.rows?.unsavedCount ?? 0) + this.letters.length;
  }

  get unsavedWeight(): number {
    return (this.options.rows?.unsavedWeight ?? 0) + this.lettersWeight;
  }

  /** Completes a batch, whose outputs must all be written before the call. */
  done({ next, letters, counts, watermark, state, timestamp }: CompletedBatch): void {
    this.options.rows?.settle();
    this.letters.push(...letters);
    this.lettersWeight = deadLettersWeight(this.letters);
    this.counts = withoutFormerSteps(sumCounts(this.counts, counts), counts);
    if (this.before?.isOver(next)) this.before = undefined;
    [this.next, this.watermark, this.state] = [next, watermark, state];
    this.timestamp = timestamp ?? this.timestamp;
    this.doneAt = this.options.now();
  }

  /** Advances to an offset below which there are no more records to process. */
  advance(next: number): void {
    if (next <= this.next) return;
    const { watermark, state } = this;
    this.done({ next, letters: [], counts: zeroCounts, watermark, state, timestamp: undefined });
  }

  unsaved(): UnsavedStateChanges | undefined {
    const { rows, place, partition, now } = this.options;
    if (this.next === this.savedNext && this.unsavedCount === 0) return undefined;
    const letters = [...this.letters];
    const { next, watermark, timestamp, state } = this;
    const progress: PartitionCheckpoint = {
      ...{ ...place, ...this.counts, next, state, updated_at: this.before?.savedAt ?? this.doneAt },
      watermark: watermark === noWatermark ? null : watermark,
      leader_epoch: partition.assignment.epochBefore(next),
      ...(rows && { rows: rows.settledCount }),
    };
    const saving = rows?.toSave(place, now());
    const saved = (): void => {
      saving?.saved();
      this.letters = this.letters.slice(letters.length);
      this.lettersWeight = deadLettersWeight(this.letters);
      [this.savedNext, this.savedWatermark] = [next, watermark];
      partition.handledUntil = Math.max(partition.handledUntil, timestamp);
    };
    return { letters, rows: saving?.rows ?? [], progress, saved };
  }
}

/**
 * Maximum number of operators whose event counts are saved. Half of them may belong to former definitions of the job.
 */
const mostSteps = 2 * pipelineLimits.operators;

/**
 * Removes the event counts of operators that the batch's definition does not have, if there are too many operators.
 * With fewer operators, all counts are kept, because a process that has not read a new definition yet may process the
 * next batch.
 */
function withoutFormerSteps(
  counts: JobAndOperatorEventCounts,
  batch: JobAndOperatorEventCounts,
): JobAndOperatorEventCounts {
  const steps = Object.entries(counts.steps);
  if (steps.length <= mostSteps) return counts;
  return { ...counts, steps: Object.fromEntries(steps.filter(([key]) => Object.hasOwn(batch.steps, key))) };
}
