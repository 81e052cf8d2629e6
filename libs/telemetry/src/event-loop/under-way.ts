/** One thing that the process works on: names and ids only, never data of an event. */
export type Work = Readonly<Record<string, string | number>>;

/** Works that are kept after their end, until somebody looks. */
const endedAtMost = 100;

/**
 * What the process works on now. A stall is noticed after it is over, often after its cause has ended; so what ended
 * since the last look counts as under way.
 */
export class UnderWay {
  private readonly running = new Set<Work>();
  private ended: Work[] = [];

  /** Returns what ends it; calling that again does nothing. */
  begin(work: Work): () => void {
    this.running.add(work);
    return () => {
      if (!this.running.delete(work)) return;
      if (this.ended.length < endedAtMost) this.ended.push(work);
    };
  }

  /** Forgets what has ended so far. */
  look(): void {
    if (this.ended.length > 0) this.ended = [];
  }

  /** The works that ended since the last look, and those that run, the latest first; at most so many. */
  latest(most: number): Work[] {
    return [...this.running, ...this.ended].reverse().slice(0, most);
  }

  /** The number of works that run or ended since the last look. */
  get size(): number {
    return this.running.size + this.ended.length;
  }
}

/** Of this process. */
export const underWay = new UnderWay();
