import type { Micros } from '#event';
import type { FoldState } from '../folds/compile-fold.js';

/** A session from its first event to its last. */
export type OpenSession = {
  readonly start: Micros;
  readonly last: Micros;
  readonly fold: FoldState;
  readonly events: number;
  /** Characters of JSON that it takes in its row, about. */
  readonly size: number;
};

/** The sessions of a key. */
export type SessionsState = {
  /** By their start. */
  readonly sessions: readonly OpenSession[];
  /** Characters of JSON of all sessions, about. */
  readonly size: number;
  /** No session has more time between its first event and its last. */
  readonly longest: Micros;
};

/**
 * The sessions of a key, sorted by their start. It looks only at those around the time that it is asked about, however
 * many there are. Most do not overlap; one that has closed and is still there may lie within an open one.
 */
export class SessionList {
  static readonly none = new SessionList([], 0, 0);

  private constructor(
    private readonly sessions: readonly OpenSession[],
    /** Characters of JSON of all, about. */
    readonly size: number,
    private readonly longest: Micros,
  ) {}

  static of({ sessions, size, longest }: SessionsState): SessionList {
    return new SessionList(sessions, size, longest);
  }

  get state(): SessionsState {
    const { sessions, size, longest } = this;
    return { sessions, size, longest };
  }

  get count(): number {
    return this.sessions.length;
  }

  /** Returns the time of the last event of the session that ends first; Infinity for an empty list. */
  get earliestLast(): Micros {
    let earliest = Infinity;
    for (const { start, last } of this.sessions) {
      if (start >= earliest) break;
      earliest = Math.min(earliest, last);
    }
    return earliest;
  }

  /** The sessions that have an event, or lie around one, from one time to another. */
  between(from: Micros, to: Micros): readonly OpenSession[] {
    const found: OpenSession[] = [];
    for (let i = this.placeOf(from - this.longest); i < this.sessions.length; i++) {
      const session = this.sessions[i]!;
      if (session.start > to) break;
      if (session.last >= from) found.push(session);
    }
    return found;
  }

  /** The list with `session` in the place of those that have become part of it. */
  with(session: OpenSession, parts: readonly OpenSession[]): SessionList {
    const [from, to] = [this.placeOf(session.start), this.placeOf(session.last + 1)];
    const others = this.sessions.slice(from, to).filter((one) => !parts.includes(one));
    const around = [...others, session].sort((a, b) => a.start - b.start);
    return new SessionList(
      this.sessions.toSpliced(from, to - from, ...around),
      this.size - sizeOf(parts) + session.size,
      Math.max(this.longest, session.last - session.start),
    );
  }

  /** The sessions whose last event is not later than that time, and the list without them. */
  split(time: Micros): { ended: readonly OpenSession[]; others: SessionList } {
    const to = this.placeOf(time + 1);
    const begun = this.sessions.slice(0, to);
    const ended = begun.filter(({ last }) => last <= time);
    const others = begun.filter(({ last }) => last > time).concat(this.sessions.slice(to));
    return { ended, others: new SessionList(others, this.size - sizeOf(ended), this.longest) };
  }

  /** Where the sessions begin that start at that time or later. */
  private placeOf(time: Micros): number {
    let [low, high] = [0, this.sessions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sessions[middle]!.start < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function sizeOf(sessions: readonly OpenSession[]): number {
  return sessions.reduce((sum, { size }) => sum + size, 0);
}
