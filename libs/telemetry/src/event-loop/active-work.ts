/** A unit of work of this process, such as a request. It contains names and ids only, never data of an event. */
export type WorkItem = Readonly<Record<string, string | number>>;

/** Maximum number of ended works that are kept until the next poll. */
const endedAtMost = 100;

/**
 * Tracks the current work of this process, for log lines about stalls. A stall is noticed after it is over, often when
 * its cause has ended. So work that ended since the last poll counts, too.
 */
export class ActiveWork {
  private readonly running = new Set<WorkItem>();
  private ended: WorkItem[] = [];

  /** Adds a unit of work. Returns a function that ends it; further calls of the function do nothing. */
  begin(work: WorkItem): () => void {
    this.running.add(work);
    return () => {
      if (!this.running.delete(work)) return;
      if (this.ended.length < endedAtMost) this.ended.push(work);
    };
  }

  /** Forgets the works that have ended. The watchdog calls it at each poll. */
  look(): void {
    if (this.ended.length > 0) this.ended = [];
  }

  /** Returns the latest works that run or ended since the last poll, newest first; at most `most`. */
  latest(most: number): WorkItem[] {
    return [...this.running, ...this.ended].reverse().slice(0, most);
  }

  /** Number of works that run or ended since the last poll. */
  get size(): number {
    return this.running.size + this.ended.length;
  }
}

/** The current work of this process. */
export const activeWork = new ActiveWork();
