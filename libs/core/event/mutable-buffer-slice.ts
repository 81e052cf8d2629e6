const emptyBuffer = Buffer.alloc(0);

/**
 * A mutable range of bytes within a buffer. A record reader reuses one object for all Kafka records, which saves an
 * allocation for each.
 */
export class MutableBufferSlice {
  bytes: Buffer = emptyBuffer;
  start = 0;
  /** Index after the last byte of the range. */
  end = 0;

  set(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  get isEmpty(): boolean {
    return this.end === this.start;
  }

  /** Returns the text of the bytes, decoded as UTF-8. */
  toString(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }
}
