import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DuplicateFlagHistory } from './duplicate-flag-history.js';

describe('DuplicateFlagHistory', () => {
  it('returns each decision that a reader needs, for any offsets', () => {
    const steps = fc.array(
      fc.record({
        gap: fc.oneof(
          { weight: 9, arbitrary: fc.constant(1) },
          { weight: 1, arbitrary: fc.nat(300).map((n) => n + 1) },
        ),
        isDuplicate: fc.boolean(),
        /** Number of records that the slowest reader reads meanwhile. */
        reads: fc.nat(2),
      }),
      { maxLength: 500 },
    );
    fc.assert(
      fc.property(steps, fc.constantFrom(0, 31, 4_294_967_250, 2 ** 40), (log, from) => {
        let [offset, read] = [from - 1, 0];
        const all: [number, boolean][] = [];
        const needed = () => all[read]?.[0] ?? Infinity;
        const history = new DuplicateFlagHistory(from, { kept: 64, most: 1024 }, needed);
        for (const { gap, isDuplicate, reads } of log) {
          history.add((offset += gap), isDuplicate);
          all.push([offset, isDuplicate]);
          read = Math.min(all.length, read + reads);
          for (const [at, expected] of all) {
            const isForgotten = at < history.first;
            expect(history.at(at)).toBe(isForgotten ? undefined : expected);
            // A word is forgotten as a whole.
            if (at >= needed() || at > offset - 32)
              expect(isForgotten && offset - at < 1024 - 32).toBe(false);
          }
          expect(history.bytes).toBeLessThanOrEqual(1024 / 8);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('stays small while no reader needs old decisions, and grows to its limit for a slow reader', () => {
    const sizes = [Infinity, 0].map((needed) => {
      const history = new DuplicateFlagHistory(0, { kept: 1024, most: 65_536 }, () => needed);
      for (let offset = 0; offset < 200_000; offset++) history.add(offset, offset % 3 === 0);
      expect([history.at(199_998), history.at(199_999)]).toEqual([true, false]);
      return history.bytes;
    });
    expect(sizes).toEqual([128, 8192]);
  });

  it('has no decision on offsets that it has not reached or that lie between records', () => {
    const history = new DuplicateFlagHistory(10, { kept: 64, most: 64 }, () => Infinity);
    expect([history.first, history.at(10)]).toEqual([10, undefined]);
    history.add(12, true);
    expect([history.at(11), history.at(12), history.at(13)]).toEqual([false, true, undefined]);
  });
});
