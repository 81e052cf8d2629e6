import fc from 'fast-check';
import type { CelObject } from '#cel';

/** The test cases of RFC 7396, appendix A: original, patch, result. */
export const rfc7396: [string, string, string][] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
];

/** Applies a JSON merge patch as RFC 7396 describes it: the reference for the specs of merge patches. */
export function mergePatched(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergePatched(result.get(name), value));
  }
  return Object.fromEntries(result);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const names = fc.constantFrom('a', 'b', 'c', '__proto__', '1');

/**
 * Arbitrary patches with few names, so that patches affect each other. The patches contain nulls, lists and objects at
 * every level.
 */
export const patches: fc.Arbitrary<CelObject> = fc.letrec<{ value: unknown; object: CelObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, 1, 'x', true),
    fc.constantFrom([], [null], [{ a: null }]),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(names, tie('value')), { maxLength: 3, selector: ([name]) => name })
    .map((entries) => Object.fromEntries(entries) as CelObject),
})).object;
