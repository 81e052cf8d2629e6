import fc from 'fast-check';
import { limits } from '#event';
import { describe, expect, it } from 'vitest';
import { readTree, treeLength, treeText } from './json-tree.js';

describe('a JSON tree', () => {
  it('is equivalent to its source when it is written as text', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(treeText(readTree(text)))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the order of members and the text of other values, without white space between members', () => {
    expect(readTree(' [ {"a" : 1.0} ] ')).toBe('[ {"a" : 1.0} ]');
    expect(treeText(readTree(' { "b" : 1.10 , "1":{ } ,\n"\\u0061":[ 1e2 ]} '))).toBe(
      '{"b":1.10,"1":{},"a":[ 1e2 ]}',
    );
  });

  it('has the exact length of its text', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const tree = readTree(text);
        expect(treeLength(tree)).toBe(treeText(tree).length);
      }),
      { numRuns: 500 },
    );
    const names = ['', '"', '\\', '\u0000\n', '\u007f\u2028é', '😀', '\ud800'];
    for (const name of names) {
      const tree = readTree(`{${JSON.stringify(name)}:1}`);
      expect(treeLength(tree)).toBe(treeText(tree).length);
    }
  });

  it('rejects objects that are nested too deeply, instead of exhausting the stack', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(treeText(readTree(nested(limits.jsonDepth)))).toBe(nested(limits.jsonDepth));
    expect(() => readTree(nested(limits.jsonDepth + 1))).toThrow(SyntaxError);
    expect(() => readTree(nested(100_000))).toThrow(SyntaxError);
  });

  it('has each name once, with its last value', () => {
    expect(treeText(readTree('{"a":1,"b":2,"\\u0061":3}'))).toBe('{"a":3,"b":2}');
  });

  it.each(['', '{', '{"a"}', '{"a":1,}', '{a:1}', '{"a":1}}', '{"a":01}', '1 2', '{"a":"\n"}', '{"a" 1}'])(
    'rejects %j',
    (text) => {
      expect(() => readTree(text)).toThrow(SyntaxError);
    },
  );
});
