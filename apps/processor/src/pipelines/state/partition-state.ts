import type { Checkpoint, Checkpointed, OwnedPartition } from '#engine';
import type { Micros } from '#event';
import type { DeadLetter, StateProgress, StateRow, StatePartition } from '#store';
import { noWatermark } from '#dataflow';
import { none, sum, type Counts } from '../output/counts.js';
import type { PartitionRows } from './partition-rows.js';
import type { OutputDeduplication } from '../output/output-deduplication.js';

const letterWeight = 500;

/**
 * The unsaved changes of one partition. They are saved in this order: dead letters, then rows and progress together.
 * Then the offset `next` is committed.
 */
export interface UnsavedBatch extends Checkpoint {
  letters: readonly DeadLetter[];
  rows: readonly StateRow[];
  progress: StateProgress;
}

/** The result of a batch whose outputs are all written. */
export interface DoneBatch {
  /** Offset below which all records are processed. */
  next: number;
  letters: readonly DeadLetter[];
  counts: Readonly<Counts>;
  watermark: Micros;
  /** Further state that is needed to continue from `next`: upstream positions as JSON, or the id of a source stream. */
  state: string;
  /** Timestamp of the last record, in milliseconds. */
  timestamp: number | undefined;
}

export interface PartitionStateOptions {
  /** Name of the pipeline. */
  name: string;
  place: StatePartition;
  partition: OwnedPartition;
  /** Offset of the first record to process. */
  from: number;
  progress: StateProgress | undefined;
  /** The rows of a keyed stage; undefined for sources and replays. */
  rows?: PartitionRows | undefined;
  before?: OutputDeduplication | undefined;
  now: () => Micros;
}

/**
 * The progress of one partition of a job: the processed offset and watermark, the changes that wait to be saved, and
 * the saved progress. All members belong to one offset, because they change only when a whole batch is done.
 */
export class PartitionState implements Checkpointed<UnsavedBatch> {
  next: number;
  watermark: Micros;
  /** State that is needed to continue from `next`; see `DoneBatch`. */
  state: string;
  /** The saved watermark. All rows that close up to it have closed. */
  savedWatermark: Micros;
  /** Detects output of the next records that the previous owner may have written already. */
  before: OutputDeduplication | undefined;
  private savedNext: number;
  private counts: Counts;
  private letters: DeadLetter[] = [];
  private lettersWeight = 0;
  private timestamp = 0;
  /** When the last batch was done. The outputs of the next batch are written after this time. */
  private doneAt: Micros;

  constructor(private readonly options: PartitionStateOptions) {
    const { progress, from } = options;
    this.next = from;
    this.before = options.before;
    this.doneAt = options.now();
    this.savedNext = progress?.next ?? -1;
    this.watermark = progress?.watermark ?? noWatermark;
    this.savedWatermark = this.watermark;
    this.state = progress?.state ?? '';
    const { processed, emitted, dropped, late, failed } = progress ?? none;
    this.counts = { processed, emitted, dropped, late, failed };
  }

  get name(): string {
    return this.options.name;
  }

  get place(): StatePartition {
    return this.options.place;
  }

  get partition(): OwnedPartition {
    return this.options.partition;
  }

  get ended(): AbortSignal {
    return this.options.partition.ended;
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

  /** Marks a batch as done. All its outputs must be written before. */
  done({ next, letters, counts, watermark, state, timestamp }: DoneBatch): void {
    this.options.rows?.settle();
    this.letters.push(...letters);
    this.lettersWeight = weightOf(this.letters);
    this.counts = sum(this.counts, counts);
    if (this.before?.isOver(next)) this.before = undefined;
    [this.next, this.watermark, this.state] = [next, watermark, state];
    this.timestamp = timestamp ?? this.timestamp;
    this.doneAt = this.options.now();
  }

  /** Advances to an offset. There are no records to process below it. */
  advance(next: number): void {
    if (next <= this.next) return;
    const { watermark, state } = this;
    this.done({ next, letters: [], counts: none, watermark, state, timestamp: undefined });
  }

  unsaved(): UnsavedBatch | undefined {
    const { rows, place, partition, now } = this.options;
    if (this.next === this.savedNext && this.unsavedCount === 0) return undefined;
    const letters = [...this.letters];
    const { next, watermark, timestamp, state } = this;
    const progress: StateProgress = {
      ...{ ...place, ...this.counts, next, state, updated_at: this.before?.savedAt ?? this.doneAt },
      watermark: watermark === noWatermark ? null : watermark,
    };
    const saving = rows?.toSave(place, now());
    const saved = (): void => {
      saving?.saved();
      this.letters = this.letters.slice(letters.length);
      this.lettersWeight = weightOf(this.letters);
      [this.savedNext, this.savedWatermark] = [next, watermark];
      partition.handledUntil = Math.max(partition.handledUntil, timestamp);
    };
    return { letters, rows: saving?.rows ?? [], progress, saved };
  }
}

function weightOf(letters: readonly DeadLetter[]): number {
  return letters.reduce((total, { event, error }) => total + letterWeight + event.length + error.length, 0);
}
