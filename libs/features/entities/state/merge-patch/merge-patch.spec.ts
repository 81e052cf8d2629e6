import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTree, treeText } from './json-tree.js';
import { mergePatch } from './merge-patch.js';
import {
  mergePatched,
  patches,
  rfc7396,
} from '../../../../core/dataflow/fold-operations/merge-patch.fixture.js';

const apply = (target: string, patch: string) => treeText(mergePatch(readTree(target), readTree(patch)));

describe('a merge patch', () => {
  it.each(rfc7396)('of %s with %s gives the result in RFC 7396: %s', (target, patch, expected) => {
    expect(apply(target, patch)).toBe(expected);
  });

  it('keeps all digits of numbers', () => {
    expect(apply('{"a":9007199254740993}', '{"b":0.10000000000000000001}')).toBe(
      '{"a":9007199254740993,"b":0.10000000000000000001}',
    );
  });

  it('treats __proto__ and constructor as ordinary names', () => {
    expect(apply('{}', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')).toBe(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    );
    expect(apply('{"__proto__":{"a":1,"b":2}}', '{"__proto__":{"a":null}}')).toBe('{"__proto__":{"b":2}}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('gives the result of the reference', () => {
    fc.assert(
      fc.property(patches, patches, (target, patch) => {
        const result = JSON.parse(apply(JSON.stringify(target), JSON.stringify(patch))) as unknown;
        expect(result).toEqual(JSON.parse(JSON.stringify(mergePatched(target, patch))));
      }),
      { numRuns: 300 },
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(patches, patches, (target, patch) => {
        const once = apply(JSON.stringify(target), JSON.stringify(patch));
        expect(apply(once, JSON.stringify(patch))).toBe(once);
      }),
      { numRuns: 200 },
    );
  });
});
