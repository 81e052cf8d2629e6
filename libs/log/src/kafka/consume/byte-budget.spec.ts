import { describe, expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.js';

describe('a budget of bytes', () => {
  it('says when there is room again after there was none', () => {
    let rooms = 0;
    const budget = new ByteBudget(10, () => rooms++);
    const [small, large] = [budget.take(4), budget.take(9)];
    expect(budget.left).toBe(-3);
    small();
    expect([budget.left, rooms]).toEqual([1, 1]);
    large();
    expect([budget.left, rooms]).toEqual([10, 1]);
  });

  it('takes bytes back once', () => {
    const budget = new ByteBudget(10, () => undefined);
    const release = budget.take(4);
    release();
    release();
    expect(budget.left).toBe(10);
  });
});
