interface Waiter {
  bytes: number;
  enter: () => void;
}

/** Limits the bytes of buffered events. A caller for whose event no bytes are free waits in a queue. */
export class ByteBudget {
  private used = 0;
  private waiting: Waiter[] = [];
  /** The index of the first entry in `waiting` that still waits. */
  private first = 0;
  private admitting = false;
  private watching: (() => void)[] = [];

  constructor(private readonly bytes: number) {}

  /** Whether this number of bytes can be taken now. Any number fits if no bytes are used. */
  fits(bytes: number): boolean {
    return !this.isAwaited && this.hasRoomFor(bytes);
  }

  /** Calls `enter` when the bytes are taken: at once if they fit. */
  take(bytes: number, enter: () => void): void {
    if (!this.fits(bytes)) this.waiting.push({ bytes, enter });
    else this.admit(bytes, enter);
  }

  give(bytes: number): void {
    this.used -= bytes;
    this.admitWaiting();
    if (this.isAwaited || this.used >= this.bytes || this.watching.length === 0) return;
    for (const tell of this.watching.splice(0)) tell();
  }

  /** Resolves when no caller waits for bytes and at least one byte is free. */
  some(): Promise<void> {
    if (!this.isAwaited && this.used < this.bytes) return Promise.resolve();
    return new Promise((resolve) => this.watching.push(resolve));
  }

  private get isAwaited(): boolean {
    return this.first < this.waiting.length;
  }

  /** Gives bytes to waiting callers in order; a loop, because a callback may free its bytes at once. */
  private admitWaiting(): void {
    if (this.admitting) return;
    this.admitting = true;
    while (this.isAwaited && this.hasRoomFor(this.waiting[this.first]!.bytes)) {
      const { bytes, enter } = this.waiting[this.first++]!;
      this.admit(bytes, enter);
    }
    this.admitting = false;
    if (this.first * 2 < this.waiting.length) return;
    this.waiting = this.waiting.slice(this.first);
    this.first = 0;
  }

  private hasRoomFor(bytes: number): boolean {
    return this.used === 0 || this.used + bytes <= this.bytes;
  }

  private admit(bytes: number, enter: () => void): void {
    this.used += bytes;
    enter();
  }
}
