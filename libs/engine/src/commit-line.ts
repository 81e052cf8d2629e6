/** Moves the group's position of one partition, one call at a time; of several that wait only the furthest is made. */
export class CommitLine {
  private wanted: number;
  private running: Promise<void> | undefined;

  /**
   * @param committed Where the group stands.
   * @param commit Resolves false when the partition is no longer ours: nothing is committed after that.
   */
  constructor(
    public committed: number,
    private readonly commit: (next: number) => Promise<boolean>,
  ) {
    this.wanted = committed;
  }

  /** Everything below `next` is stored. Rejects as `commit` does. */
  offer(next: number): Promise<void> {
    this.wanted = Math.max(this.wanted, next);
    if (this.wanted > this.committed) this.running ??= this.run();
    return this.running ?? Promise.resolve();
  }

  /** The group stands at `next`, by somebody else's commit perhaps. */
  stands(next: number): void {
    this.committed = Math.max(this.committed, next);
    this.wanted = Math.max(this.wanted, next);
  }

  /** Resolves when no call is under way. */
  async settled(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    try {
      while (this.wanted > this.committed) {
        const next = this.wanted;
        if (!(await this.commit(next))) return;
        this.committed = Math.max(this.committed, next);
      }
    } finally {
      // Before anybody goes on who waited: what they offer next must not join a call that is over.
      this.running = undefined;
    }
  }
}
