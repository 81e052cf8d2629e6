const none = Buffer.alloc(0);

/** A stretch of bytes where they lie. Set anew for each record instead of being made: that costs nothing. */
export class ByteRange {
  bytes: Buffer = none;
  start = 0;
  /** Exclusive. */
  end = 0;

  set(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  get isEmpty(): boolean {
    return this.end === this.start;
  }

  /** As UTF-8. */
  toString(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }
}
