interface Waiter {
  bytes: number;
  enter: () => void;
}

/** A bounded number of bytes. Whoever finds no room waits behind those who wait already. */
export class Room {
  private used = 0;
  private waiting: Waiter[] = [];
  /** The first of `waiting` that still waits. */
  private first = 0;
  private admitting = false;
  private watching: (() => void)[] = [];

  constructor(private readonly bytes: number) {}

  /** Whether so many bytes can be taken now. Anything fits into an empty room. */
  fits(bytes: number): boolean {
    return !this.isAwaited && this.hasRoomFor(bytes);
  }

  /** Calls back when the bytes are taken: at once where they fit. */
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

  /** Resolves when nobody waits and there is some room. */
  some(): Promise<void> {
    if (!this.isAwaited && this.used < this.bytes) return Promise.resolve();
    return new Promise((resolve) => this.watching.push(resolve));
  }

  private get isAwaited(): boolean {
    return this.first < this.waiting.length;
  }

  /** Who enters may give room back at once: that is seen in the next round, not in a call within the call. */
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
