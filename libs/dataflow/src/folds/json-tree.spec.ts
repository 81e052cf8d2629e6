import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyTree, readTree, treeLength, treeText, type JsonMembers } from './json-tree.js';

describe('JSON as a tree of texts', () => {
  it('is the same JSON when it is written', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(treeText(readTree(text)))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('is a text without objects, members in their order, and no white space between members', () => {
    expect(readTree(' [ {"a" : 1.0} ] ')).toBe('[ {"a" : 1.0} ]');
    expect(treeText(readTree(' { "b" : 1.10 , "1":{ } ,\n"\\u0061":[ 1e2 ]} '))).toBe(
      '{"b":1.10,"1":{},"a":[ 1e2 ]}',
    );
  });

  it('knows how long its text is', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const tree = readTree(text);
        expect(treeLength(tree)).toBe(treeText(tree).length);
      }),
      { numRuns: 500 },
    );
  });

  it('has copies that are changed on their own', () => {
    const tree = readTree('{"a":{"b":1},"c":[2]}') as JsonMembers;
    const copy = copyTree(tree) as JsonMembers;
    expect(treeText(copy)).toBe(treeText(tree));
    (copy.get('a') as JsonMembers).set('b', '3');
    copy.delete('c');
    expect(treeText(tree)).toBe('{"a":{"b":1},"c":[2]}');
  });

  it('has each name once, with its last value', () => {
    expect(treeText(readTree('{"a":1,"b":2,"\\u0061":3}'))).toBe('{"a":3,"b":2}');
  });

  it.each(['', '{', '{"a"}', '{"a":1,}', '{a:1}', '{"a":1}}', '{"a":01}', '1 2', '{"a":"\n"}', '{"a" 1}'])(
    'refuses %j',
    (text) => {
      expect(() => readTree(text)).toThrow(SyntaxError);
    },
  );
});
