import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWithNumbers } from './parse-with-numbers.js';

const none = { takes: () => false, read: () => undefined };
const long = { takes: (text: string) => text.length > 3, read: (text: string) => `<${text}>` };

describe('parseWithNumbers', () => {
  it('returns the same as JSON.parse apart from the marked numbers', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseWithNumbers(text, none)).toEqual(JSON.parse(text));
        expect(parseWithNumbers(text, { takes: () => true, read: Number })).toEqual(JSON.parse(text));
      }),
    );
  });

  it('converts numbers everywhere except in strings', () => {
    const text = '{"a":[1234, -1e300, 12], "__proto__":{"1234":12345}, "b":"1234 \\\\\\" 1234", "c": 0.50}';
    const read = parseWithNumbers(text, long) as Record<string, unknown>;
    expect(JSON.stringify(read)).toBe(
      '{"a":["<1234>","<-1e300>",12],"__proto__":{"1234":"<12345>"},"b":"1234 \\\\\\" 1234","c":"<0.50>"}',
    );
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(parseWithNumbers('{"__proto__": 1234}', long)).toHaveProperty(['__proto__'], '<1234>');
    expect(parseWithNumbers('12345', long)).toBe('<12345>');
  });

  it('calls `takes` for all numbers before the first call of `read`', () => {
    const calls: string[] = [];
    const takes = (text: string) => calls.push(`takes ${text}`) > 0;
    const read = (text: string) => calls.push(`reads ${text}`);
    parseWithNumbers('[1,2]', { takes, read });
    expect(calls).toEqual(['takes 1', 'takes 2', 'reads 1', 'reads 2']);
  });

  it.each(['[1234-1]', '[01234]', '[1234.]', '"1234', '[12e345'])(
    'rejects a text that is not JSON: %s',
    (text) => {
      expect(() => parseWithNumbers(text, long)).toThrow(SyntaxError);
    },
  );
});
