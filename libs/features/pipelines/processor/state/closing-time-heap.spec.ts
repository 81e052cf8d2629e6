import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareDue, ClosingTimeHeap } from './closing-time-heap.js';

it('returns the rows that close up to a time, and keeps the rest', () => {
  const times = fc.array(fc.integer({ min: -5, max: 20 }), { maxLength: 40 });
  fc.assert(
    fc.property(times, fc.array(fc.integer({ min: -6, max: 21 }), { maxLength: 5 }), (all, watermarks) => {
      const heap = new ClosingTimeHeap();
      const left = new Set(all.map((closesAt, i) => ({ closesAt, key: `${i}` })));
      for (const due of left) heap.push(due);
      for (const watermark of watermarks) {
        const expected = [...left].filter(({ closesAt }) => closesAt <= watermark);
        expect(heap.takeUntil(watermark).sort(compareDue)).toEqual(expected.sort(compareDue));
        for (const due of expected) left.delete(due);
        expect(heap.top?.closesAt).toBe(
          left.size ? Math.min(...[...left].map((due) => due.closesAt)) : undefined,
        );
      }
    }),
  );
});

it('orders keys bytewise, as the store does', () => {
  const keys = ['🎉', 'b', '\uffee', 'é', 'a'].map((key) => ({ closesAt: 1, key }));
  expect(keys.sort(compareDue).map(({ key }) => key)).toEqual(['a', 'b', 'é', '\uffee', '🎉']);
});
