import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { farReach, IdHistory } from './id-history.js';
import { MemoryBudget } from './memory-budget.js';

const idOf = (n: number) => Uint32Array.of(n, Math.imul(n, 0x9e3779b1), 7, Math.imul(n, 0x85ebca6b));
const bounds = { milliseconds: 1_200 };
const reach = farReach(bounds);

/** Adds the id of record `n`, which leaves the id window when it is `age` milliseconds old. */
const add = (history: IdHistory, n: number, { logTime, age = 0 }: { logTime: number; age?: number }) =>
  history.add(idOf(n), 0, { offset: n, logTime, passed: 10, age });

describe('IdHistory', () => {
  it('has every id within its time, and none beyond one slice more', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(steps, fc.nat(3_000), (gaps, later) => {
        const history = new IdHistory(bounds, new MemoryBudget(1e6));
        let time = 1_000_000;
        const times = gaps.map((gap) => (time += gap));
        times.forEach((logTime, n) => add(history, n, { logTime }));
        const now = time + later;
        times.forEach((logTime, n) => {
          const ranges = history.rangesOf(idOf(n), now);
          const isFound = ranges.some(({ from, until }) => from <= n && n < until);
          if (now - logTime <= bounds.milliseconds) expect(isFound).toBe(true);
          if (now - logTime > reach) expect(history.includes(n, now)).toBe(false);
          expect(history.includes(n, now)).toBe(isFound);
          if (isFound) expect(history.mightHave(idOf(n), now)).toBe(true);
        });
        history.close();
      }),
    );
  });

  it('has nothing if its time is 0', () => {
    const history = new IdHistory({ milliseconds: 0 }, new MemoryBudget(1e6));
    add(history, 1, { logTime: 1_000 });
    expect([history.isEmpty, history.mightHave(idOf(1), 1_000), history.lengthAt(1_000)]).toEqual([
      true,
      false,
      0,
    ]);
  });

  it('takes no memory for ids that are too old to be repeated', () => {
    const budget = new MemoryBudget(1e6);
    const history = new IdHistory(bounds, budget);
    add(history, 1, { logTime: 1_000, age: reach + 1 });
    expect([history.isEmpty, budget.bytes]).toEqual([true, 0]);
  });

  it('returns the memory of ids that are too old, and the rest when it is closed', () => {
    const budget = new MemoryBudget(1e6);
    const history = new IdHistory(bounds, budget);
    add(history, 1, { logTime: 1_000 });
    expect(budget.bytes).toBe(history.bytes);
    add(history, 2, { logTime: 1_000, age: 9_000 });
    expect([history.isEmpty, budget.bytes]).toEqual([true, 0]);
    add(history, 3, { logTime: 10_000 });
    history.close();
    add(history, 4, { logTime: 10_001 });
    expect([history.isEmpty, budget.bytes]).toEqual([true, 0]);
  });

  it('forgets the oldest ids when the memory does not suffice, and says so', () => {
    const budget = new MemoryBudget(40_000);
    const history = new IdHistory(bounds, budget);
    for (let n = 0; n < 60_000; n++) add(history, n, { logTime: 1_000_000 + Math.floor(n / 60) });
    const now = 1_001_000;
    const length = history.lengthAt(now);
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThan(bounds.milliseconds);
    expect(budget.bytes).toBeLessThanOrEqual(40_000);
    for (let n = 0; n < 60_000; n++) {
      const isYoung = now - (1_000_000 + Math.floor(n / 60)) < length;
      if (isYoung) expect(history.mightHave(idOf(n), now)).toBe(true);
    }
    expect(history.includes(0, now)).toBe(false);
  });

  it('has nothing without memory, and everything from the moment on at which there is some', () => {
    const budget = new MemoryBudget(40_000);
    budget.take(40_000);
    const history = new IdHistory(bounds, budget);
    for (let n = 0; n < 100; n++) add(history, n, { logTime: 1_000 + n });
    expect([history.lengthAt(1_100), history.isEmpty]).toEqual([0, true]);
    budget.release(40_000);
    for (let n = 100; n < 200; n++) add(history, n, { logTime: 1_000 + n });
    expect(history.lengthAt(1_200)).toBe(100);
    for (let n = 100; n < 200; n++) expect(history.mightHave(idOf(n), 1_200)).toBe(true);
  });

  it('keeps all ids while it grows, and while the number of records changes', () => {
    const budget = new MemoryBudget(1e8);
    const history = new IdHistory(bounds, budget);
    let time = 0;
    const rates = [1_000, 1, 300, 2];
    let n = 0;
    const times: number[] = [];
    for (const rate of rates)
      for (let i = 0; i < 1_500 * rate; i++) {
        if (i % rate === 0) time++;
        times[n] = time;
        add(history, n++, { logTime: time });
        if (i % (rate * 500) !== 0) continue;
        for (let m = n - 1; m >= 0 && time - times[m]! <= bounds.milliseconds; m -= 997)
          expect(history.mightHave(idOf(m), time)).toBe(true);
      }
    expect(history.lengthAt(time)).toBe(bounds.milliseconds);
    // The large filters of the busy times are released.
    expect(budget.bytes).toBeLessThan(4_000_000);
  });
});
