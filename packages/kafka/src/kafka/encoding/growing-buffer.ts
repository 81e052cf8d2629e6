/** Buffer with a write cursor that grows by doubling. Numbers are big-endian, as in the Kafka protocol. */
export class GrowingBuffer {
  bytes: Buffer;
  offset = 0;

  constructor(initialSize: number) {
    this.bytes = Buffer.allocUnsafe(initialSize);
  }

  /** Makes room for `more` bytes after the cursor. */
  ensure(more: number): void {
    const needed = this.offset + more;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(grown, 0, 0, this.offset);
    this.bytes = grown;
  }

  int8(value: number): void {
    this.ensure(1);
    this.bytes[this.offset++] = value & 0xff;
  }

  int16(value: number): void {
    this.ensure(2);
    this.offset = this.bytes.writeInt16BE(value, this.offset);
  }

  int32(value: number): void {
    this.ensure(4);
    this.offset = this.bytes.writeInt32BE(value, this.offset);
  }

  int64(value: bigint): void {
    this.ensure(8);
    this.offset = this.bytes.writeBigInt64BE(value, this.offset);
  }

  /** Writes a STRING or NULLABLE_STRING of the Kafka protocol: INT16 length and UTF-8. */
  string(value: string | null): void {
    if (value === null) return this.int16(-1);
    const length = Buffer.byteLength(value);
    this.ensure(2 + length);
    this.offset = this.bytes.writeInt16BE(length, this.offset);
    this.offset += this.bytes.write(value, this.offset, length, 'utf8');
  }

  filled(): Buffer {
    return this.bytes.subarray(0, this.offset);
  }
}
