import { describe, expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.js';

describe('a byte budget', () => {
  it('reports when bytes are left again after none were left', () => {
    let rooms = 0;
    const budget = new ByteBudget(10, () => rooms++);
    const [small, large] = [budget.take(4), budget.take(9)];
    expect(budget.left).toBe(-3);
    small();
    expect([budget.left, rooms]).toEqual([1, 1]);
    large();
    expect([budget.left, rooms]).toEqual([10, 1]);
  });

  it('releases taken bytes once', () => {
    const budget = new ByteBudget(10, () => undefined);
    const release = budget.take(4);
    release();
    release();
    expect(budget.left).toBe(10);
  });
});
