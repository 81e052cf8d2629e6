import { TupleParam } from '@clickhouse/client';
import { describe, expect, it } from 'vitest';
import { queryParameterText } from './query-parameter-text.js';

describe('the text of a query parameter', () => {
  it.each<[unknown, string]>([
    ['text', 'text'],
    ["a\tb\nc\rd'e\\f", "a\\tb\\nc\\rd\\'e\\\\f"],
    ['\\N', '\\\\N'],
    [42, '42'],
    [9007199254740993n, '9007199254740993'],
    [0.1, '0.1'],
    [NaN, 'nan'],
    [Infinity, '+inf'],
    [-Infinity, '-inf'],
    [true, '1'],
    [null, '\\N'],
    [[], '[]'],
    [['a', "it's", null], "['a','it\\'s',NULL]"],
    [[1, 2n], '[1,2]'],
    [[new TupleParam(['s', 1]), new TupleParam(["'", 2])], "[('s',1),('\\'',2)]"],
    [new Map([[1, 20n]]), '{1:20}'],
    [{ "it's": 3 }, "{'it\\'s':3}"],
  ])('of %s is %s', (value, expected) => expect(queryParameterText(value)).toBe(expected));

  it('does not exist for a value of another type', () => {
    expect(() => queryParameterText(Symbol('s'))).toThrow(TypeError);
    expect(() => queryParameterText([new Date()])).toThrow(TypeError);
  });
});
