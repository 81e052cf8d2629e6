import type { EpochMicros } from '#json';
import type { Fold, FoldState } from './compile-fold.js';

/** A time for which a state is asked: of the events that had happened by `time` and had been ingested by `known`. */
export interface AsOfTime {
  readonly time: EpochMicros;
  readonly known: EpochMicros;
}

/** The state of one folded event, with its time and the time since which it counts as ingested. */
type HistoryEntry = readonly [time: EpochMicros, known: EpochMicros, state: FoldState];

/** A history as JSON: the time at which it begins (null if it has everything), its base, and the states of its events. */
type HistoryJson = readonly [
  since: EpochMicros | null,
  base: FoldState | null,
  entries: readonly HistoryEntry[],
];

/** Limits of the history of a key in a partition: its events, and the characters of their states as JSON. */
export const historyLimits = { events: 1000, characters: 128 * 1024 } as const;

/**
 * The history of a key in one partition: the states of single events, from which `stateAsOf` merges the state of any
 * time, and the base, the merged state of everything that is older. The state of a time that was computed once is never
 * computed otherwise: an event that is ingested later is not part of it, and what is older than the base has no answer.
 */
export class StateHistory {
  /** The sizes of the entries, and their sum; undefined until the first event is added. */
  private sizes: number[] | undefined;
  private size = 0;
  private last: { asOf: AsOfTime; state: FoldState | undefined } | undefined;

  private constructor(
    private since: EpochMicros | null,
    private base: FoldState | null,
    /** Sorted by the later of both times. */
    private readonly entries: HistoryEntry[],
  ) {}

  /** Reads a history as `toJSON` returned it; an empty one without a text. */
  static from(text?: string): StateHistory {
    if (text === undefined) return new StateHistory(null, null, []);
    const [since, base, entries] = JSON.parse(text) as HistoryJson;
    return new StateHistory(since, base, [...entries]);
  }

  /** Adds the state of an event. Then merges what is beyond the limits, or over by `until`, into the base. */
  add(
    { time, known }: AsOfTime,
    state: FoldState,
    { fold, until }: { fold: Fold; until: EpochMicros },
  ): void {
    const entry: HistoryEntry = [time, known, state];
    const index = this.entries.findLastIndex((one) => laterOf(one) <= laterOf(entry)) + 1;
    this.last = undefined;
    if (!this.sizes) {
      this.sizes = this.entries.map(sizeOf);
      this.size = this.sizes.reduce((a, b) => a + b, 0);
    }
    this.entries.splice(index, 0, entry);
    this.sizes.splice(index, 0, sizeOf(entry));
    this.size += this.sizes[index]!;
    this.prune(this.sizes, { fold, until });
  }

  /**
   * Returns the merged state as of a time: undefined if there was none, and the beginning of the history if it begins
   * after that time. Continues at the last answer if that is of an earlier time.
   */
  stateAsOf(asOf: AsOfTime, fold: Fold): { state: FoldState | undefined } | { since: EpochMicros } {
    const { base, since, last } = this;
    if (since !== null && Math.min(asOf.time, asOf.known) < since) return { since };
    const from = last && last.asOf.time <= asOf.time && last.asOf.known <= asOf.known ? last : undefined;
    const state = this.entries
      .filter((one) => isOf(one, asOf) && !(from && isOf(one, from.asOf)))
      .map(([, , state]) => state)
      .reduce<FoldState | undefined>(
        (merged, state) => (merged ? fold.merge(merged, state) : state),
        from ? from.state : (base ?? undefined),
      );
    this.last = { asOf, state };
    return { state };
  }

  toJSON(): HistoryJson {
    return [this.since, this.base, this.entries];
  }

  private prune(sizes: number[], { fold, until }: { fold: Fold; until: EpochMicros }): void {
    const { events, characters } = historyLimits;
    let over = this.entries.findIndex((one) => laterOf(one) > until);
    if (over < 0) over = this.entries.length;
    // The older half at once, so that a busy key does not merge its base again for each event.
    if (this.entries.length > events || this.size > characters)
      over = Math.max(over, this.entries.length >> 1);
    if (over === 0) return;
    const merged = this.entries.splice(0, over);
    for (const size of sizes.splice(0, over)) this.size -= size;
    this.base = merged.reduce((base, [, , state]) => fold.merge(base, state), this.base ?? fold.empty);
    this.since = Math.max(this.since ?? -Infinity, laterOf(merged.at(-1)!));
  }
}

function isOf([time, known]: HistoryEntry, asOf: AsOfTime): boolean {
  return time <= asOf.time && known <= asOf.known;
}

function laterOf([time, known]: HistoryEntry): EpochMicros {
  return Math.max(time, known);
}

function sizeOf(entry: HistoryEntry): number {
  return JSON.stringify(entry).length;
}
