import type { Micros } from '#event';
import { noWatermark, type TimeProgress } from './source-watermark.js';

/** What a task tells the stages that it feeds, in their own topics. */
export interface Control extends TimeProgress {
  /** The partition that it reads, such as `orders/3`. */
  readonly source: string;
  /** All that came of what is before this offset was forwarded before this was written. */
  readonly next: number;
}

/**
 * A forwarded record, and which of all that came of the record at the offset. What is repeated after a crash may take another
 * way, with another definition or with other states of projections: the place of one must not depend on what became of
 * the others. So it is that of the event that went into the chain, and of what `flat_map` made of it.
 */
export interface ForwardedPosition {
  readonly source: string;
  readonly offset: number;
  /** Among the events that went into the chain because of the record: of results of windows there may be several. */
  readonly index: number;
  /** Of its origin: texts are in the order of the elements. */
  readonly path: string;
}

interface Feeder {
  /** Of the last record that was taken; -1 before the first. */
  offset: number;
  index: number;
  path: string;
  /** What is known to have been forwarded. */
  next: number;
  watermark: Micros;
  idle: boolean;
}

/**
 * What a partition of a stage's topic has seen of the partitions that feed it: which records are repetitions, and how far
 * event time is. Its watermark is the least of those of the feeders, without the idle ones; where all are idle, the
 * greatest of theirs. A feeder that has not been heard of holds it back. It never goes back.
 *
 * It moves with control records alone, which are in the topic as the data is: read again, the same is decided again.
 */
export class FeederPositions {
  readonly #feeders = new Map<string, Feeder>();
  readonly #known: ReadonlySet<string>;
  #watermark: Micros = noWatermark;

  /**
   * @param known all partitions that feed the stage; others, which the definition had earlier, hold nothing back
   * @param saved what `save` returned
   */
  constructor(known: Iterable<string>, saved?: string) {
    this.#known = new Set(known);
    if (saved === undefined) return;
    const { watermark, feeders } = JSON.parse(saved) as Saved;
    this.#watermark = watermark;
    for (const [source, [offset, index, next, time, idle, path]] of Object.entries(feeders)) {
      this.#feeders.set(source, { offset, index, path, next, watermark: time, idle: idle === 1 });
    }
  }

  get watermark(): Micros {
    return this.#watermark;
  }

  /**
   * Takes a record, if it is no repetition: the records of one feeder come as one sequence, and after a crash, or from a
   * task that does not know that another one has taken over, as a part of it again.
   * @returns false for a repetition
   */
  take(position: ForwardedPosition): boolean {
    const { source, offset, index, path } = position;
    const feeder = this.#feeder(source);
    if (!isAfter(position, feeder)) return false;
    Object.assign(feeder, { offset, index, path });
    if (offset >= feeder.next) feeder.next = offset + 1;
    // What an idle feeder said was guessed from the clock: until it says more, nothing moves.
    if (feeder.idle) feeder.watermark = noWatermark;
    feeder.idle = false;
    return true;
  }

  /** What is older than what is known of the source changes nothing: who wrote it has been overtaken. */
  control({ source, next, watermark, idle }: Control): void {
    const feeder = this.#feeder(source);
    if (next < feeder.next) return;
    feeder.next = next;
    if (watermark > feeder.watermark || !idle) feeder.watermark = watermark;
    feeder.idle = idle;
    this.#watermark = Math.max(this.#watermark, this.#least());
  }

  /** Whether it was taken: all that is in the topic below what has been read must be so. */
  hasTaken(position: ForwardedPosition): boolean {
    const feeder = this.#feeders.get(position.source);
    return feeder !== undefined && !isAfter(position, feeder);
  }

  /** Plain JSON. */
  save(): string {
    const feeders: Saved['feeders'] = {};
    for (const [source, { offset, index, path, next, watermark, idle }] of this.#feeders) {
      feeders[source] = [offset, index, next, watermark, idle ? 1 : 0, path];
    }
    return JSON.stringify({ watermark: this.#watermark, feeders } satisfies Saved);
  }

  #feeder(source: string): Feeder {
    const known = this.#feeders.get(source);
    if (known) return known;
    const feeder = { offset: -1, index: -1, path: '', next: 0, watermark: noWatermark, idle: false };
    this.#feeders.set(source, feeder);
    return feeder;
  }

  #least(): Micros {
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

interface Saved {
  watermark: Micros;
  feeders: Record<
    string,
    [offset: number, index: number, next: number, watermark: Micros, idle: 0 | 1, path: string]
  >;
}

function isAfter(a: Omit<ForwardedPosition, 'source'>, b: Omit<ForwardedPosition, 'source'>): boolean {
  if (a.offset !== b.offset) return a.offset > b.offset;
  if (a.index !== b.index) return a.index > b.index;
  return a.path > b.path;
}

/**
 * The watermark that a stage passes on: its results may lie behind its own by `delay`. Controls say it of the stage's
 * watermark. A record that comes of an event carries it of the arrival's, which is the greater of the stage's and of what the
 * event carried: then also behind a dedupe it depends on the source's log alone what is late. A record that comes of a
 * window that closes carries it of the stage's as it was before: the window closes because it has moved.
 */
export function passedOn(watermark: Micros, delay: Micros): Micros {
  return watermark === noWatermark ? noWatermark : watermark - delay;
}
