/** Commits the group's offset of one partition, one commit at a time, meanwhile keeping the highest offered one. */
export class OffsetCommitter {
  private desired = this.committed;
  private running: Promise<void> | undefined;

  /**
   * @param committed The committed offset of the group.
   * @param commit Resolves false when the partition is no longer owned; nothing is committed after that.
   */
  constructor(
    public committed: number,
    private readonly commit: (next: number) => Promise<boolean>,
  ) {}

  /** Commits `next`, the offset below which all records are stored. Rejects with the same errors as `commit`. */
  offer(next: number): Promise<void> {
    this.desired = Math.max(this.desired, next);
    if (this.desired > this.committed) this.running ??= this.run();
    return this.running ?? Promise.resolve();
  }

  /** Sets the group's committed offset to at least `next`, so that lower offsets are not committed. */
  stands(next: number): void {
    this.committed = Math.max(this.committed, next);
    this.desired = Math.max(this.desired, next);
  }

  /** Resolves when no commit of this partition is in progress. */
  async settled(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    try {
      while (this.desired > this.committed) {
        const next = this.desired;
        if (!(await this.commit(next))) return;
        this.committed = Math.max(this.committed, next);
      }
    } finally {
      // Reset it before the waiting callers continue: an offset that they offer next must not wait for a finished
      // commit.
      this.running = undefined;
    }
  }
}
