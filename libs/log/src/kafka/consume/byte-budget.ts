/** Limits the bytes that are held at a time. Taken bytes are released exactly once. */
export class ByteBudget {
  private used = 0;

  constructor(
    private readonly limit: number,
    /** Called when bytes are left again after none were left. */
    private readonly onRoom: () => void,
  ) {}

  /** Bytes that are left; at zero or less, no more may be taken. The last `take` may exceed the limit. */
  get left(): number {
    return this.limit - this.used;
  }

  /** Takes bytes. Returns a function that releases them; only its first call has an effect. */
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
