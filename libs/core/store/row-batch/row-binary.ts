import type { MutableBufferSlice } from '#event';

/** Bytes of the longest varint of a 32-bit number. */
const longestVarint = 5;
/** Ranges up to this many bytes are copied in a loop: for so few bytes, a call of `Buffer.copy` takes longer. */
const maxLoopCopyBytes = 48;

/**
 * Writes values in ClickHouse's RowBinary format into a growing buffer. Numbers are little-endian. A string
 * is a varint with its length in bytes, then its UTF-8 bytes. A UUID is two little-endian 64-bit halves.
 *
 * RowBinary is the fastest format on both sides. For 100 000 events of 240 bytes, encoding takes 90 ms and
 * the insert 60 ms; JSONCompactEachRow takes 500 to 700 ms and 250 to 570 ms.
 */
export class RowBinaryWriter {
  private buffer: Buffer;
  private length = 0;

  constructor(initialBytes = 64 * 1024) {
    this.buffer = Buffer.allocUnsafe(initialBytes);
  }

  /**
   * Returns the bytes written since the last `reset`. The bytes share memory with the writer and are valid until the
   * next `reset`.
   */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  reset(): void {
    this.length = 0;
  }

  /** Number of bytes written since the last `reset`. */
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

  /** Writes a safe integer as 64 bits; a negative value is written in two's complement, as ClickHouse's Int64. */
  int64(value: number): void {
    this.reserve(8);
    const high = Math.floor(value / 0x1_0000_0000);
    this.word(value - high * 0x1_0000_0000);
    this.word(high);
  }

  /** Appends bytes unchanged. */
  raw(bytes: Buffer): void {
    this.reserve(bytes.length);
    this.copy(bytes, 0, bytes.length);
  }

  /** Writes a RowBinary string from a byte range that is already UTF-8. */
  utf8(range: MutableBufferSlice): void {
    const { bytes, start, end } = range;
    this.reserve(end - start + longestVarint);
    this.varint(end - start);
    this.copy(bytes, start, end);
  }

  /** Writes a UUID from four 32-bit words, the most significant word first. */
  uuidWords(words: Uint32Array): void {
    this.reserve(16);
    this.word(words[1]!);
    this.word(words[0]!);
    this.word(words[3]!);
    this.word(words[2]!);
  }

  /** Writes a text as a RowBinary string, in UTF-8; a lone surrogate becomes U+FFFD. */
  string(text: string): void {
    // A UTF-16 code unit becomes at most three bytes of UTF-8. The varint is padded with zero groups, which
    // decoders accept, to the width of the longest possible length. So the text is encoded once, in place.
    const prefix = varintBytes(text.length * 3);
    this.reserve(prefix + text.length * 3);
    const written = this.buffer.write(text, this.length + prefix);
    this.paddedVarint(written, prefix);
    this.length += written;
  }

  /** Writes an array of strings in RowBinary. */
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
    if (end - start > maxLoopCopyBytes) at += bytes.copy(buffer, at, start, end);
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
