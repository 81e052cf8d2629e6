/** Bytes that may be held at a time. What is taken is given back exactly once. */
export class ByteBudget {
  private used = 0;

  constructor(
    private readonly limit: number,
    /** Called when there is room again after there was none. */
    private readonly onRoom: () => void,
  ) {}

  /** Not above zero: nothing more may be taken. The last to take may go beyond the limit. */
  get left(): number {
    return this.limit - this.used;
  }

  /** Returns what gives the bytes back; calling it again does nothing. */
  take(bytes: number): () => void {
    this.used += bytes;
    let held = bytes;
    return () => {
      const wasFull = this.left <= 0;
      this.used -= held;
      held = 0;
      if (wasFull && this.left > 0) this.onRoom();
    };
  }
}
