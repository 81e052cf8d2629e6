import { describe, expect, it } from 'vitest';
import { checkPairwiseFunction } from './check-pairwise-functions.js';
import { syntaxNodes } from './syntax-tree.js';

/** Checks a call of `hasAny` with these arguments, each the lines of a syntax tree. */
const check = (name: string, ...parts: string[][]) => {
  const lines = parts.flatMap((part) => part.map((line) => `  ${line}`));
  const explained = [`Function ${name} (children 1)`, ` ExpressionList (children ${parts.length})`, ...lines];
  return () => checkPairwiseFunction(syntaxNodes(explained.join('\n'))[0]!);
};

const column = ['Identifier tags'];
const computed = ['Function range (children 1)', ' ExpressionList (children 1)', '  Literal UInt64_3000000'];
const literals = ["Literal Array_['a', 'b']"];
const parameter = [
  'Function _CAST (children 1)',
  ' ExpressionList (children 2)',
  "  Literal Array_['a']",
  "  Literal 'Array(String)'",
];
const nested = ['Function array (children 1)', ' ExpressionList (children 2)', '  Literal UInt64_1'];

describe('a function that compares two arrays pairwise', () => {
  it.each([
    ['an array of literals', column, literals],
    ['an array of literals on the left', literals, column],
    ['a parameter of the request', column, parameter],
    ['an array in parts', computed, [...nested, '  Literal UInt64_2']],
  ])('may be called with %s', (_, left, right) => {
    for (const name of ['hasAny', 'hasAll', 'hasSubstr', 'HASANY'])
      expect(check(name, left, right)).not.toThrow();
  });

  it.each([
    ['two columns', column, column],
    ['a column and a computed array', column, computed],
    ['an array of a column', column, [...nested, '  Identifier n']],
    ['an array of computed arrays', column, [...nested, ...computed.map((line) => `  ${line}`)]],
  ])('is rejected with %s', (_, left, right) => {
    expect(check('hasAny', left, right)).toThrow('hasAny of two computed arrays is not allowed');
  });

  it('is the only one that this check rejects', () => {
    expect(check('arrayIntersect', column, column)).not.toThrow();
  });
});
