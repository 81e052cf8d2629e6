/** A number of bytes that several owners share. The owners keep account of what they take and return. */
export class MemoryBudget {
  private used = 0;

  constructor(private readonly most: number) {}

  get bytes(): number {
    return this.used;
  }

  /** Takes bytes of the budget; false if the budget has not that many left. */
  take(bytes: number): boolean {
    if (this.used + bytes > this.most) return false;
    this.used += bytes;
    return true;
  }

  release(bytes: number): void {
    this.used -= bytes;
  }
}
