interface Waiter {
  bytes: number;
  enter: () => void;
}

/** A bounded number of bytes. Whoever finds no room waits behind those who wait already. */
export class Room {
  private used = 0;
  private readonly waiting: Waiter[] = [];
  private watching: (() => void)[] = [];

  constructor(private readonly bytes: number) {}

  /** Whether so many bytes can be taken now. Anything fits into an empty room. */
  fits(bytes: number): boolean {
    return this.waiting.length === 0 && this.hasRoomFor(bytes);
  }

  /** Calls back when the bytes are taken: at once where they fit. */
  take(bytes: number, enter: () => void): void {
    if (!this.fits(bytes)) this.waiting.push({ bytes, enter });
    else this.admit(bytes, enter);
  }

  give(bytes: number): void {
    this.used -= bytes;
    while (this.waiting.length > 0 && this.hasRoomFor(this.waiting[0]!.bytes)) {
      const next = this.waiting.shift()!;
      this.admit(next.bytes, next.enter);
    }
    if (this.waiting.length > 0 || this.used >= this.bytes || this.watching.length === 0) return;
    for (const tell of this.watching.splice(0)) tell();
  }

  /** Resolves when nobody waits and there is some room. */
  some(): Promise<void> {
    if (this.waiting.length === 0 && this.used < this.bytes) return Promise.resolve();
    return new Promise((resolve) => this.watching.push(resolve));
  }

  private hasRoomFor(bytes: number): boolean {
    return this.used === 0 || this.used + bytes <= this.bytes;
  }

  private admit(bytes: number, enter: () => void): void {
    this.used += bytes;
    enter();
  }
}
