/** Offsets of a consumer group in one partition. */
interface GroupPartitionOffsets {
  /** The end offset of the partition: the offset of the next record. */
  end: number;
  /** The offset that the group reads next. */
  committed: number;
}

interface Mark {
  end: number;
  at: number;
}

/**
 * Limit of end offsets that are remembered with their time for one partition. While the limit is reached, no new ones
 * are added: the oldest one determines the lag in seconds.
 */
const mostMarks = 32;

/**
 * Converts observed offsets to a lag in seconds. If the group has not passed the end offset that was observed `n`
 * seconds ago, its lag is at least `n` seconds. The result is exact to the time between two observations; after a long
 * lag it may be too small, because the number of remembered end offsets is limited.
 */
export class TimeLagEstimator {
  private marks: Mark[] = [];

  /** Records the current offsets (`now` in milliseconds). Returns the lag in seconds; 0 when there is none. */
  observe({ end, committed }: GroupPartitionOffsets, now: number): number {
    // An end beyond the current one is that of a topic that was deleted and created again.
    this.marks = this.marks.filter((mark) => mark.end > committed && mark.end <= end);
    const newest = this.marks.at(-1);
    if (end > committed && (!newest || (end > newest.end && this.marks.length < mostMarks))) {
      this.marks.push({ end, at: now });
    }
    const oldest = this.marks[0];
    return oldest ? (now - oldest.at) / 1000 : 0;
  }
}
