import type { EpochMicros } from '#json';
import { noWatermark, type PartitionWatermark } from './partition-watermark-generator.js';

/** A watermark record: the progress of a task, which the task writes to the topics of its downstream stages. */
export interface WatermarkRecord extends PartitionWatermark {
  /** The partition that the task which wrote the record reads, such as `orders/3`. */
  readonly source: string;
  /** The next offset of `source` to process. All records derived from earlier offsets precede this record. */
  readonly next: number;
}

/**
 * Identifies a repartitioned record among those derived from one upstream record. After a crash, an event may take
 * another path, because the definition or the states of projections changed. So the position must not depend on the
 * outcomes of others: it is the event that entered the chain, and its emission index from `flat_map`.
 */
export interface UpstreamEmissionPosition {
  readonly source: string;
  readonly offset: number;
  /** Index among the events that entered the chain: a record that closes several windows causes several. */
  readonly index: number;
  /** Emission index of the event's provenance. As texts, emission indices sort in the order of the elements. */
  readonly path: string;
  /** `right` for an event of the right side of a join, which has a sequence of its own. */
  readonly side?: 'right' | undefined;
}

interface UpstreamPartition {
  /** Upstream offset of the last repartitioned record that was taken; -1 before the first. */
  offset: number;
  index: number;
  path: string;
  /** Offset of the upstream partition below which all derived records have been read. */
  next: number;
  watermark: EpochMicros;
  idle: boolean;
}

/**
 * The progress of a stage's partition in each upstream partition: which records are duplicates, and how far event time
 * has advanced. The stage's watermark is the minimum of the upstream watermarks, without idle partitions; if all
 * upstream partitions are idle, the watermark is the maximum. An upstream partition without any record yet holds the
 * watermark back. The watermark never decreases.
 *
 * Only watermark records advance the watermark. Watermark records are in the same topic as the events, so reading the
 * topic again gives the same decisions.
 */
export class UpstreamProgress {
  readonly #feeders = new Map<string, UpstreamPartition>();
  readonly #known: ReadonlySet<string>;
  #watermark: EpochMicros = noWatermark;

  /**
   * @param known all upstream partitions; one that only an earlier definition had does not hold the watermark back
   * @param saved the text that `save` returned for an earlier checkpoint
   */
  constructor(known: Iterable<string>, saved?: string) {
    this.#known = new Set(known);
    if (saved === undefined) return;
    const { watermark, feeders } = JSON.parse(saved) as SavedProgress;
    this.#watermark = watermark;
    for (const [source, [offset, index, next, time, idle, path]] of Object.entries(feeders)) {
      this.#feeders.set(source, { offset, index, path, next, watermark: time, idle: idle === 1 });
    }
  }

  get watermark(): EpochMicros {
    return this.#watermark;
  }

  /**
   * True if all upstream partitions are idle and none has had an event, or if the stage has no upstream partition any more.
   * Then it does not hold back the stages after it, such as a join whose other side has events.
   */
  get isIdle(): boolean {
    if (this.#known.size > 0 && this.#watermark !== noWatermark) return false;
    return [...this.#known].every((source) => this.#feeders.get(source)?.idle);
  }

  /**
   * Takes a record; returns false for a duplicate. Each upstream partition writes its records in one order, of which
   * parts may occur again after a crash or while a fenced task is still writing.
   */
  take(position: UpstreamEmissionPosition): boolean {
    const { source, offset, index, path } = position;
    const taken = this.#feeder(nameOf(position));
    if (!isAfter(position, taken)) return false;
    Object.assign(taken, { offset, index, path });
    const feeder = this.#feeder(source);
    if (offset >= feeder.next) feeder.next = offset + 1;
    // The watermark of an idle partition is an estimate from the clock. When the partition has a record again, its
    // watermark counts as unknown until the next watermark record.
    if (feeder.idle) feeder.watermark = noWatermark;
    feeder.idle = false;
    return true;
  }

  /** Applies a watermark record. One with a lower offset than an earlier record is ignored: a fenced task wrote it. */
  control({ source, next, watermark, idle }: WatermarkRecord): void {
    const feeder = this.#feeder(source);
    if (next < feeder.next) return;
    feeder.next = next;
    if (watermark > feeder.watermark || !idle) feeder.watermark = watermark;
    feeder.idle = idle;
    this.#watermark = Math.max(this.#watermark, this.#least());
  }

  /** Returns whether a record at this position was taken: true before the saved offset if the topic is intact. */
  hasTaken(position: UpstreamEmissionPosition): boolean {
    const feeder = this.#feeders.get(nameOf(position));
    return feeder !== undefined && !isAfter(position, feeder);
  }

  /** Returns the progress in all upstream partitions as JSON text, for a checkpoint. */
  save(): string {
    const feeders: SavedProgress['feeders'] = {};
    for (const [source, { offset, index, path, next, watermark, idle }] of this.#feeders) {
      feeders[source] = [offset, index, next, watermark, idle ? 1 : 0, path];
    }
    return JSON.stringify({ watermark: this.#watermark, feeders } satisfies SavedProgress);
  }

  #feeder(source: string): UpstreamPartition {
    const known = this.#feeders.get(source);
    if (known) return known;
    const feeder = { offset: -1, index: -1, path: '', next: 0, watermark: noWatermark, idle: false };
    this.#feeders.set(source, feeder);
    return feeder;
  }

  #least(): EpochMicros {
    let [least, greatestIdle] = [Infinity, noWatermark];
    for (const source of this.#known) {
      const feeder = this.#feeders.get(source);
      if (!feeder) return noWatermark;
      if (feeder.idle) greatestIdle = Math.max(greatestIdle, feeder.watermark);
      else least = Math.min(least, feeder.watermark);
    }
    return least === Infinity ? greatestIdle : least;
  }
}

interface SavedProgress {
  watermark: EpochMicros;
  feeders: Record<
    string,
    [offset: number, index: number, next: number, watermark: EpochMicros, idle: 0 | 1, path: string]
  >;
}

function nameOf({ source, side }: UpstreamEmissionPosition): string {
  return side ? `${source}/${side}` : source;
}

function isAfter(
  a: Omit<UpstreamEmissionPosition, 'source' | 'side'>,
  b: Omit<UpstreamEmissionPosition, 'source' | 'side'>,
): boolean {
  if (a.offset !== b.offset) return a.offset > b.offset;
  if (a.index !== b.index) return a.index > b.index;
  return a.path > b.path;
}

/**
 * Returns the watermark that a stage passes on: the given watermark less `delay`, because results may lie behind the
 * stage's watermark by that much. A watermark record has the stage's watermark. A record derived from an event has the
 * greater of the stage's watermark and the watermark that the event carried, so that only the source's log decides
 * which events are late, also after a dedupe. A record derived from a closing window has the stage's watermark before
 * the change that closed the window.
 */
export function downstreamWatermark(watermark: EpochMicros, delay: EpochMicros): EpochMicros {
  return watermark === noWatermark ? noWatermark : watermark - delay;
}
