/** Description of a unit of work for log lines: names and ids only, never data of an event. */
type WorkItem = Readonly<Record<string, string | number>>;

/** Maximum number of ended units of work that are kept until the watchdog's next poll. */
const endedAtMost = 100;

/**
 * Tracks the units of work that this process runs, or has ended since the event loop watchdog's last poll, for log
 * lines about stalls. A stall is noticed after it is over, often when the work that caused it has ended.
 */
export class RecentWorkTracker {
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

  /** Forgets the units of work that have ended. The event loop watchdog calls it at each poll. */
  look(): void {
    if (this.ended.length > 0) this.ended = [];
  }

  /** Returns at most `most` units of work: those that ended since the last poll, then the running, newest first. */
  latest(most: number): WorkItem[] {
    return [...this.running, ...this.ended].reverse().slice(0, most);
  }

  /** Number of units of work that run or have ended since the watchdog's last poll. */
  get size(): number {
    return this.running.size + this.ended.length;
  }
}

/** The tracker of this process's units of work. */
export const activeWork = new RecentWorkTracker();
