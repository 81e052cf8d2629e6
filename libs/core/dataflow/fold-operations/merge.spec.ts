import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson, toJson, type CelValue } from '#cel';
import { FoldRejectedError } from './fold-operation.js';
import { itSatisfiesTheFoldLaws } from './laws.fixture.js';
import { mergePatched, patches, rfc7396 } from './merge-patch.fixture.js';
import { merge } from './merge.js';
import { at } from './values.fixture.js';

type State = typeof merge.empty;

const fold = (values: CelValue[]) =>
  values.reduce((state: State, value, n) => merge.add(state, value, at(n)), merge.empty);
const sorted = (value: CelValue) => toJson(value, { maxLength: Infinity, sorted: true });

describe('merge', () => {
  it('is an empty object without events', () => {
    expect(merge.result(merge.empty)).toBe('{}');
  });

  it.each(
    rfc7396.filter(
      ([target, patch]) => target.startsWith('{"') && patch.startsWith('{') && !target.includes('null'),
    ),
  )('of %s and the patch %s is the result in RFC 7396: %s', (target, patch, expected) => {
    expect(merge.result(fold([parseExactJson(target), parseExactJson(patch)]))).toBe(expected);
  });

  it('applies one merge patch after the other, in the order of the events', () => {
    fc.assert(
      fc.property(fc.array(patches, { maxLength: 6 }), (values) => {
        const expected = JSON.stringify(values.reduce<unknown>(mergePatched, {}));
        expect(merge.result(fold(values))).toBe(sorted(parseExactJson(expected)));
      }),
      { numRuns: 300 },
    );
  });

  it('remembers a removed member if an older event arrives later', () => {
    const removed = merge.add(fold([{ a: { b: 1 } }]), { a: null }, at(9));
    expect(merge.result(merge.add(removed, { a: { c: 1 } }, at(5)))).toBe('{}');
    expect(merge.result(merge.add(removed, { a: { c: 1 } }, at(10)))).toBe('{"a":{"c":1}}');
  });

  it('treats __proto__ as an ordinary name', () => {
    const state = JSON.parse(JSON.stringify(fold([parseExactJson('{"__proto__":{"x":1}}')]))) as State;
    expect(merge.result(merge.add(state, parseExactJson('{"__proto__":{"y":2}}'), at(5)))).toBe(
      '{"__proto__":{"x":1,"y":2}}',
    );
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('rejects an event that would exceed its limit, and accepts later events that do not', () => {
    let state = merge.empty;
    const add = (n: number) => (state = merge.add(state, { [`k${n}`]: 'x'.repeat(1000) }, at(n)));
    for (let n = 0; n < 245; n++) add(n);
    expect(() => add(245)).toThrow(FoldRejectedError);
    expect(JSON.parse(merge.result(merge.add(state, { k1: 'y' }, at(500))))).toMatchObject({ k1: 'y' });
  });

  it('does not grow when the same members are set repeatedly', () => {
    let state = merge.empty;
    for (let n = 0; n < 1000; n++) state = merge.add(state, { a: 'x'.repeat(1000), b: { c: n } }, at(n));
    expect(JSON.parse(merge.result(state))).toMatchObject({ b: { c: 999 } });
    expect(JSON.stringify(state).length).toBeLessThan(2000);
  });

  it('rejects a value with too many levels of nesting', () => {
    const deep = (levels: number) =>
      parseExactJson('{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1));
    expect(() => merge.add(merge.empty, deep(65), at(0))).toThrow(FoldRejectedError);
    expect(merge.result(merge.add(merge.empty, deep(64), at(0)))).toBe(sorted(deep(64)));
  });

  itSatisfiesTheFoldLaws(merge, patches, { maxLength: 8, numRuns: 200 });
});
