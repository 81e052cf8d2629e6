import type { ByteRange } from '#event';

/** Of a number of 32 bits. */
const longestVarint = 5;
/** For few bytes a call into the engine takes longer than copying them here. */
const copiedByHand = 48;

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

  constructor(initialBytes = 64 * 1024) {
    this.buffer = Buffer.allocUnsafe(initialBytes);
  }

  /** What has been written. It shares memory with the writer: use it up before `reset`. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  reset(): void {
    this.length = 0;
  }

  /** Bytes that have been written. */
  get size(): number {
    return this.length;
  }

  uint16(value: number): void {
    this.reserve(2);
    this.buffer[this.length++] = value;
    this.buffer[this.length++] = value >>> 8;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.word(value);
  }

  /** A whole number in the safe range; what is below 0 becomes an Int64. */
  int64(value: number): void {
    this.reserve(8);
    const high = Math.floor(value / 0x1_0000_0000);
    this.word(value - high * 0x1_0000_0000);
    this.word(high);
  }

  /** Bytes as they are. */
  raw(bytes: Buffer): void {
    this.reserve(bytes.length);
    this.copy(bytes, 0, bytes.length);
  }

  /** A string that is UTF-8 already. */
  utf8(range: ByteRange): void {
    const { bytes, start, end } = range;
    this.reserve(end - start + longestVarint);
    this.varint(end - start);
    this.copy(bytes, start, end);
  }

  /** A UUID of four 32-bit words, the first ones first. */
  uuidWords(words: Uint32Array): void {
    this.reserve(16);
    this.word(words[1]!);
    this.word(words[0]!);
    this.word(words[3]!);
    this.word(words[2]!);
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

  /** An array of strings. */
  strings(texts: readonly string[]): void {
    this.reserve(longestVarint);
    this.varint(texts.length);
    for (const text of texts) this.string(text);
  }

  private word(value: number): void {
    const { buffer, length } = this;
    buffer[length] = value;
    buffer[length + 1] = value >>> 8;
    buffer[length + 2] = value >>> 16;
    buffer[length + 3] = value >>> 24;
    this.length = length + 4;
  }

  private varint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest >>>= 7) this.buffer[this.length++] = (rest & 0x7f) | 0x80;
    this.buffer[this.length++] = rest;
  }

  private copy(bytes: Buffer, start: number, end: number): void {
    const { buffer } = this;
    let at = this.length;
    if (end - start > copiedByHand) at += bytes.copy(buffer, at, start, end);
    else for (let i = start; i < end; i++) buffer[at++] = bytes[i]!;
    this.length = at;
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
