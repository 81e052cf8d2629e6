import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResultRowParser } from './result-row-parser.js';

const row = fc.tuple(fc.string({ unit: 'binary' }), fc.integer(), fc.array(fc.string()));

/** Cuts bytes at these positions. */
function chunksOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends
    .map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
    .filter(({ length }) => length > 0);
}

function parsed(chunks: readonly Buffer[], tag?: string): unknown[] {
  const parser = new ResultRowParser(tag);
  for (const chunk of chunks) parser.add(chunk);
  return parser.end();
}

describe('the parser of result rows', () => {
  it('returns the same rows however the answer is cut into chunks', () => {
    fc.assert(
      fc.property(fc.array(row), fc.array(fc.nat()), fc.boolean(), (rows, cuts, lastLineEnds) => {
        const text =
          rows.map((each) => JSON.stringify(each)).join('\n') + (lastLineEnds && rows.length ? '\n' : '');
        expect(parsed(chunksOf(Buffer.from(text), cuts), 'tag')).toEqual(rows);
      }),
    );
  });

  it('throws the error of ClickHouse at the end of an answer, however it is cut', () => {
    const message =
      'Code: 395. DB::Exception: Value passed to throwIf. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)\n';
    const end = `\r\n__exception__\r\nabc\r\n${message}${message.length} abc\r\n__exception__\r\n`;
    const answer = Buffer.from(`[1]\n[2]\n${end}`);
    fc.assert(
      fc.property(fc.array(fc.nat()), (cuts) => {
        expect(() => parsed(chunksOf(answer, cuts), 'abc')).toThrow('Value passed to throwIf');
      }),
    );
  });

  it('knows the error before the answer ends, because ClickHouse cuts the connection', () => {
    const parser = new ResultRowParser('abc');
    parser.add(Buffer.from('[1]\n'));
    expect(parser.error).toBeUndefined();
    parser.add(Buffer.from('\r\n__exception__\r\nabc\r\nCode: 1. DB::Exception: bo'));
    expect(parser.error).toBeInstanceOf(Error);
  });

  it('throws for a line that is not JSON, such as an error of an old version', () => {
    expect(() => parsed([Buffer.from('[1]\nCode: 395. DB::Exception: no\n')])).toThrow(SyntaxError);
  });
});
