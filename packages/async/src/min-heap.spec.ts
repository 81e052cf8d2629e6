import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MinHeap } from './min-heap.js';

it('returns the entries up to a number, and keeps the rest', () => {
  const numbers = fc.array(fc.integer({ min: -5, max: 20 }), { maxLength: 40 });
  fc.assert(
    fc.property(numbers, fc.array(fc.integer({ min: -6, max: 21 }), { maxLength: 5 }), (all, limits) => {
      const heap = new MinHeap<{ at: number }>();
      const left = new Set(all.map((at) => ({ at })));
      for (const entry of left) heap.push(entry.at, entry);
      for (const limit of limits) {
        const expected = [...left].filter(({ at }) => at <= limit);
        const taken = heap.takeUntil(limit);
        expect(taken.map(({ at }) => at)).toEqual(expected.map(({ at }) => at).sort((a, b) => a - b));
        expect(new Set(taken)).toEqual(new Set(expected));
        for (const entry of expected) left.delete(entry);
        expect(heap.top?.at).toBe(left.size ? Math.min(...[...left].map(({ at }) => at)) : undefined);
        expect(heap.size).toBe(left.size);
      }
    }),
  );
});
