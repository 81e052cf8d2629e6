/** Reads the primitive types of the Kafka protocol from a buffer, whose memory returned buffers share. */
export class ByteReader {
  offset = 0;

  constructor(readonly bytes: Buffer) {}

  get left(): number {
    return this.bytes.length - this.offset;
  }

  skip(count: number): void {
    this.offset += count;
  }

  int8(): number {
    return this.bytes.readInt8(this.offset++);
  }

  int16(): number {
    const value = this.bytes.readInt16BE(this.offset);
    this.offset += 2;
    return value;
  }

  int32(): number {
    const value = this.bytes.readInt32BE(this.offset);
    this.offset += 4;
    return value;
  }

  /** Reads an INT64 as a number: exact up to 2^53, which no offset and no time in milliseconds reaches. */
  int64(): number {
    const high = this.bytes.readInt32BE(this.offset);
    const low = this.bytes.readUInt32BE(this.offset + 4);
    this.offset += 8;
    return high * 0x1_0000_0000 + low;
  }

  bigInt64(): bigint {
    const value = this.bytes.readBigInt64BE(this.offset);
    this.offset += 8;
    return value;
  }

  /** Reads a STRING or NULLABLE_STRING. */
  string(): string | null {
    const length = this.int16();
    if (length < 0) return null;
    const value = this.bytes.toString('utf8', this.offset, this.offset + length);
    this.offset += length;
    return value;
  }

  /** Reads BYTES or RECORDS, which begin with their length as INT32; null for a negative length. */
  bytes32(): Buffer | null {
    const length = this.int32();
    return length < 0 ? null : this.take(length);
  }

  /**
   * Reads a varint or varlong, zig-zag decoded; exact up to 2^52.
   * @throws RangeError if the buffer ends within the number
   */
  varint(): number {
    let raw = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.offset++];
      if (byte === undefined) throw new RangeError('the bytes end within a number');
      raw += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 128;
    }
    return raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2;
  }

  /** Reads bytes that begin with their length as a varint; null for a negative length. */
  sizedBytes(): Buffer | null {
    const length = this.varint();
    return length < 0 ? null : this.take(length);
  }

  private take(length: number): Buffer {
    const value = this.bytes.subarray(this.offset, this.offset + length);
    this.offset += length;
    return value;
  }
}
