/**
 * Writes values in ClickHouse's RowBinary format into a buffer that grows: numbers are little-endian, a string is its
 * length as a varint and its UTF-8, a UUID is two little-endian 64-bit halves.
 *
 * RowBinary because it is what both sides do fastest. Measured with 100 000 events of 240 bytes: 90 ms to encode and
 * 60 ms to insert, against 500 to 700 ms and 250 to 570 ms for JSONCompactEachRow.
 */
export class RowBinaryWriter {
  private buffer: Buffer;
  private length = 0;

  constructor(initialBytes = 1024 * 1024) {
    this.buffer = Buffer.allocUnsafe(initialBytes);
  }

  /** What has been written. It shares memory with the writer: use it up before `reset`. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  reset(): void {
    this.length = 0;
  }

  uint16(value: number): void {
    this.reserve(2);
    this.length = this.buffer.writeUInt16LE(value, this.length);
  }

  uint32(value: number): void {
    this.reserve(4);
    this.length = this.buffer.writeUInt32LE(value, this.length);
  }

  /** A whole number in the safe range; what is below 0 becomes an Int64. */
  int64(value: number): void {
    this.reserve(8);
    const high = Math.floor(value / 0x1_0000_0000);
    this.buffer.writeUInt32LE(value - high * 0x1_0000_0000, this.length);
    this.length = this.buffer.writeInt32LE(high, this.length + 4);
  }

  /** Text as UTF-8; lone surrogates become U+FFFD. */
  string(text: string): void {
    // A UTF-16 unit becomes at most three bytes: the varint gets as many bytes as the longest result needs (padded
    // with zero groups, which decoders accept), so the text is encoded once and in place.
    const prefix = varintBytes(text.length * 3);
    this.reserve(prefix + text.length * 3);
    const written = this.buffer.write(text, this.length + prefix);
    this.paddedVarint(written, prefix);
    this.length += written;
  }

  /** A UUID in its canonical text form. */
  uuid(text: string): void {
    this.reserve(16);
    let at = 0;
    for (let i = 0; i < 36; i++) {
      const high = text.charCodeAt(i);
      if (high === 0x2d) continue;
      const byte = (hexDigit(high) << 4) | hexDigit(text.charCodeAt(++i));
      this.buffer[this.length + (at ^ 7)] = byte;
      at++;
    }
    this.length += 16;
  }

  private paddedVarint(value: number, bytes: number): void {
    let rest = value;
    for (let i = 1; i < bytes; i++) {
      this.buffer[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.buffer[this.length++] = rest;
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + bytes));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

function varintBytes(largest: number): number {
  let bytes = 1;
  for (let rest = largest; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes;
}

/** The value of a hexadecimal digit; both cases. */
function hexDigit(code: number): number {
  return code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57;
}
