import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgeOrderedMap } from './age-ordered-map.js';

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ put: fc.nat(8) }) },
    { weight: 1, arbitrary: fc.record({ delete: fc.nat(8) }) },
    { weight: 2, arbitrary: fc.constant({ take: true }) },
  ),
  { maxLength: 60 },
);

describe('AgeOrderedMap', () => {
  it('behaves like a list in which a key that is put again moves to the end', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const map = new AgeOrderedMap<number, string>();
        let list: number[] = [];
        for (const step of taken) {
          if ('put' in step) {
            map.put(step.put, `v${step.put}`);
            list = [...list.filter((key) => key !== step.put), step.put];
          } else if ('delete' in step) {
            map.delete(step.delete);
            list = list.filter((key) => key !== step.delete);
          } else {
            const [oldest, ...rest] = list;
            expect(map.take()).toEqual(oldest === undefined ? undefined : [oldest, `v${oldest}`]);
            list = rest;
          }
          expect(map.size).toBe(list.length);
        }
      }),
    );
  });

  it('returns new entries after it was empty', () => {
    const map = new AgeOrderedMap<string, number>();
    expect(map.take()).toBeUndefined();
    map.put('a', 1);
    expect(map.get('a')).toBe(1);
    expect(map.take()).toEqual(['a', 1]);
    expect(map.take()).toBeUndefined();
  });
});
