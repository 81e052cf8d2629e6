/** Counts the bytes of fetched records in memory; calls `onRoom` when they fall below the limit again. */
export class ByteBudget {
  private used = 0;

  constructor(
    private readonly limit: number,
    /** Called when the used bytes fall below the limit after they had reached it. */
    private readonly onRoom: () => void,
  ) {}

  /** Bytes that are left; at zero or less, no more may be taken. The last `take` may exceed the limit. */
  get left(): number {
    return this.limit - this.used;
  }

  /** Takes bytes. Returns a function that releases them; only its first call has an effect. */
  take(bytes: number): () => void {
    this.used += bytes;
    let unreleased = bytes;
    return () => {
      const wasFull = this.left <= 0;
      this.used -= unreleased;
      unreleased = 0;
      if (wasFull && this.left > 0) this.onRoom();
    };
  }
}
