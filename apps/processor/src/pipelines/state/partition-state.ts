import type { Checkpoint, Checkpointed, OwnedPartition } from '#engine';
import type { Micros } from '#event';
import type { DeadLetter, StateProgress, StateRow, StatePartition } from '#store';
import { noWatermark } from '#dataflow';
import { none, sum, type Counts } from '../output/counts.js';
import type { PartitionRows } from './partition-rows.js';
import type { OutputDeduplication } from '../output/output-deduplication.js';

const letterWeight = 500;

/**
 * What has to be saved of one partition: the letters, then the rows and the progress at once; then `next` is
 * committed.
 */
export interface UnsavedBatch extends Checkpoint {
  letters: readonly DeadLetter[];
  rows: readonly StateRow[];
  progress: StateProgress;
}

/** What a batch of the partition has come to, once all that it leads to is written. */
export interface DoneBatch {
  /** Everything below it is done. */
  next: number;
  letters: readonly DeadLetter[];
  counts: Readonly<Counts>;
  watermark: Micros;
  /** JSON: what else has to be known to go on from `next`. */
  state: string;
  /** Of the last record, in milliseconds. */
  timestamp: number | undefined;
}

export interface PartitionStateOptions {
  /** Of the pipeline. */
  name: string;
  place: StatePartition;
  partition: OwnedPartition;
  /** Where it begins. */
  from: number;
  progress: StateProgress | undefined;
  /** Of a keyed stage. */
  rows?: PartitionRows | undefined;
  before?: OutputDeduplication | undefined;
  now: () => Micros;
}

/**
 * How far one partition of a job is: what is done and written, and is to be saved; and what of it is saved. It is
 * always that of a position: a batch of records is done as a whole.
 */
export class PartitionState implements Checkpointed<UnsavedBatch> {
  next: number;
  watermark: Micros;
  /** See DoneBatch. */
  state: string;
  /** The watermark that is saved: what closes up to it has closed. */
  savedWatermark: Micros;
  /** What a former holder may have written of what comes next. */
  before: OutputDeduplication | undefined;
  private savedNext: number;
  private counts: Counts;
  private letters: DeadLetter[] = [];
  private lettersWeight = 0;
  private timestamp = 0;
  /** What comes of the next batch is written after it. */
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

  /** Everything that comes of the batch is written. */
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

  /** There is nothing to do below the offset. */
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
