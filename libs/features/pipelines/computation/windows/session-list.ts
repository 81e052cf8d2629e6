import type { EpochMicros } from '#json';
import type { FoldState } from '#dataflow';

/** A session of a key that is not closed yet, with the times of its first and last event. */
export type OpenSession = {
  readonly start: EpochMicros;
  readonly last: EpochMicros;
  readonly fold: FoldState;
  readonly events: number;
  /** Approximate characters of JSON of the session in its state entry. */
  readonly size: number;
};

/** The saved state of all sessions of a key in a session window. */
export type SessionsState = {
  readonly sessions: readonly OpenSession[];
  readonly size: number;
  /** An upper bound of the time from the first to the last event of any session, in microseconds. */
  readonly longest: EpochMicros;
};

/**
 * An immutable list of a key's sessions, sorted by start. A search reads only sessions near the given time. Sessions
 * rarely overlap: a closed session that is not removed yet may lie inside an open one.
 */
export class SessionList {
  static readonly none = new SessionList([], 0, 0);

  private constructor(
    private readonly sessions: readonly OpenSession[],
    readonly size: number,
    private readonly longest: EpochMicros,
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

  /** Returns the time of the last event in the session that ends first, or Infinity for an empty list. */
  get earliestLast(): EpochMicros {
    let earliest = Infinity;
    for (const { start, last } of this.sessions) {
      if (start >= earliest) break;
      earliest = Math.min(earliest, last);
    }
    return earliest;
  }

  /** Returns the sessions that overlap the time range, both ends included. */
  between(from: EpochMicros, to: EpochMicros): readonly OpenSession[] {
    const found: OpenSession[] = [];
    for (let i = this.placeOf(from - this.longest); i < this.sessions.length; i++) {
      const session = this.sessions[i]!;
      if (session.start > to) break;
      if (session.last >= from) found.push(session);
    }
    return found;
  }

  /** Returns the list in which `session` replaces the sessions in `parts`, which were merged into it. */
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

  /** Splits the list into the sessions whose last event is at or before `time`, and the list of all others. */
  split(time: EpochMicros): { ended: readonly OpenSession[]; others: SessionList } {
    const to = this.placeOf(time + 1);
    const begun = this.sessions.slice(0, to);
    const ended = begun.filter(({ last }) => last <= time);
    const others = begun.filter(({ last }) => last > time).concat(this.sessions.slice(to));
    return { ended, others: new SessionList(others, this.size - sizeOf(ended), this.longest) };
  }

  /** Returns the index of the first session that starts at `time` or later. */
  private placeOf(time: EpochMicros): number {
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
