import { describe, expect, it } from 'vitest';
import { RowBinaryWriter } from './row-binary.js';

function bytes(write: (out: RowBinaryWriter) => void, initial = 4): number[] {
  const out = new RowBinaryWriter(initial);
  write(out);
  return [...out.bytes()];
}

/** Reads a string as ClickHouse does: a varint with the length in bytes, then the bytes. */
function readString(from: number[]): { text: string; rest: number } {
  let [length, shift, at] = [0, 0, 0];
  for (;;) {
    const byte = from[at++] as number;
    length += (byte & 0x7f) * 2 ** shift;
    shift += 7;
    if (byte < 0x80) break;
  }
  const text = Buffer.from(from.slice(at, at + length)).toString('utf8');
  return { text, rest: from.length - at - length };
}

describe('RowBinaryWriter', () => {
  it('writes numbers little-endian', () => {
    expect(bytes((out) => out.uint16(0x0102))).toEqual([2, 1]);
    expect(bytes((out) => out.uint32(0x01020304))).toEqual([4, 3, 2, 1]);
  });

  it.each([0, 1, -1, 2 ** 32, -(2 ** 32), -(2 ** 32) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    'writes %d as 64 bits',
    (value) => {
      const written = Buffer.from(bytes((out) => out.int64(value)));
      expect(written.readBigInt64LE()).toBe(BigInt(value));
    },
  );

  it.each([
    '',
    'a',
    'x'.repeat(42),
    'x'.repeat(43),
    'ü'.repeat(200),
    '🎉'.repeat(6000),
    'x'.repeat(1_000_000),
  ])('writes a string with its length in bytes (%#)', (text) => {
    expect(readString(bytes((out) => out.string(text)))).toEqual({ text, rest: 0 });
  });

  it('replaces a lone surrogate by U+FFFD, because UTF-8 cannot encode it', () => {
    expect(readString(bytes((out) => out.string('a\ud800b'))).text).toBe('a\ufffdb');
  });

  it('writes a UUID as two little-endian halves', () => {
    const expected = [
      0x1c, 0x7e, 0x53, 0x7d, 0xe2, 0xa4, 0x9a, 0x01, 0x11, 0x2c, 0x0b, 0x1f, 0x6a, 0x0d, 0x3e, 0x9a,
    ];
    const words = Uint32Array.of(0x019aa4e2, 0x7d537e1c, 0x9a3e0d6a, 0x1f0b2c11);
    expect(bytes((out) => out.uuidWords(words))).toEqual(expected);
  });

  it('discards what was written when it is reset', () => {
    const out = new RowBinaryWriter(1);
    out.string('first');
    out.reset();
    out.uint16(7);
    expect([...out.bytes()]).toEqual([7, 0]);
  });
});
