import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MergePatchBuffer } from './merge-patch-buffer.js';
import { readTree, treeText, type JsonMembers } from './json-tree.js';
import { mergePatch } from './merge-patch.js';
import { patches, rfc7396 } from '../../../../core/dataflow/fold-operations/merge-patch.fixture.js';

const patch = new MergePatchBuffer();

/** Returns the text of the patched object, and its growth; undefined if the patch is not supported. */
function applied(target: string, text: string): { text: string; growth: number } | undefined {
  const members = readTree(target) as JsonMembers;
  if (!patch.read(text)) return undefined;
  const growth = patch.applyTo(members);
  return { text: treeText(members), growth };
}

const expected = (target: string, text: string) => {
  const before = treeText(readTree(target));
  const after = treeText(mergePatch(readTree(target), readTree(text)));
  return { text: after, growth: after.length - before.length };
};

describe('a flat patch', () => {
  it('changes an object as a merge patch does, and returns the growth', () => {
    const indents = fc.constantFrom(undefined, 1, '\t');
    fc.assert(
      fc.property(patches, fc.array(fc.tuple(patches, indents), { maxLength: 4 }), (target, all) => {
        let text = JSON.stringify(target);
        for (const [value, indent] of all) {
          const next = JSON.stringify(value, null, indent);
          const result = applied(text, next);
          expect(result).toEqual(expected(text, next));
          text = result!.text;
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('supports any JSON object, or says that it does not', () => {
    const objects = fc.json({ maxDepth: 4 }).filter((text) => text.startsWith('{'));
    fc.assert(
      fc.property(objects, objects, (target, text) => {
        const result = applied(target, text);
        if (result) expect(result).toEqual(expected(target, text));
        else expect(text).toContain('\\');
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(rfc7396.filter(([target, text]) => target.startsWith('{') && text.startsWith('{')))(
    'changes %s by %s into %s',
    (target, text, result) => {
      expect(applied(target, text)?.text).toBe(result);
    },
  );

  it('keeps numbers, strings and lists as they are written, with brackets and quotes in them', () => {
    const text = '{ "a" :1e400 ,"b":-0.0,"c":[ "]", {"x":"}"}, [1 ] ] ,"d":"{,:}" , "e":{ } }\n';
    expect(applied('{"b":1,"z":2}', text)).toEqual(expected('{"b":1,"z":2}', text));
  });

  it.each([
    ['an escape', '{"a":"\\n"}'],
    ['a name that occurs twice', '{"a":{"x":1},"b":2,"a":{"y":2}}'],
    ['a name that occurs twice in a nested object', '{"b":{"a":1,"c":{},"a":2}}'],
    ['many members', `{${Array.from({ length: 25 }, (_, i) => `"k${i}":1`).join()}}`],
    ['deep nesting', `${'{"a":'.repeat(11)}1${'}'.repeat(11)}`],
  ])('does not support %s', (_what, text) => {
    expect(patch.read(text)).toBe(false);
  });

  it('supports the same name in different objects', () => {
    const text = '{"a":{"a":1,"b":{"a":2}},"b":{"a":3}}';
    expect(applied('{"a":{"b":1}}', text)).toEqual(expected('{"a":{"b":1}}', text));
  });

  it('ends for a text that is cut off', () => {
    const text = '{"a":[1,"x",[2]],"b":{"c":"d","e":[{"f":1}]},"g":-1.5,"h":"i"}';
    for (let end = 0; end < text.length; end++) patch.read(text.slice(0, end));
    expect(patch.read(text)).toBe(true);
  });
});
