/** How far a group is behind in one partition. */
export interface PartitionProgress {
  /** The offset that the next record will get. */
  end: number;
  /** The offset that the group reads next. */
  committed: number;
}

interface Mark {
  end: number;
  at: number;
}

/** Marks kept for one partition; when a lag outlasts them, the oldest stays and tells it. */
const mostMarks = 32;

/**
 * Turns offsets seen over time into an age: the log's end that was seen `n` seconds ago and has not been passed yet
 * means a lag of at least `n` seconds. Its grain is the time between two observations.
 */
export class LagClock {
  private marks: Mark[] = [];

  /** Takes what is true now (`now` in milliseconds); returns the lag in seconds, 0 without one. */
  observe({ end, committed }: PartitionProgress, now: number): number {
    this.marks = this.marks.filter((mark) => mark.end > committed);
    const newest = this.marks.at(-1);
    if (end > committed && (!newest || (end > newest.end && this.marks.length < mostMarks))) {
      this.marks.push({ end, at: now });
    }
    const oldest = this.marks[0];
    return oldest ? (now - oldest.at) / 1000 : 0;
  }
}
