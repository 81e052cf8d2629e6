import { describe, expect, it } from 'vitest';
import { AnswerBudget } from './answer-budget.js';

const mib = 1024 * 1024;

describe('the budget of answers', () => {
  it('gives three quarters to large answers, and the rest to small ones', () => {
    const budget = new AnswerBudget(40 * mib);
    expect(budget.share().take(30 * mib)).toBe(true);
    expect(budget.share().take(2 * mib)).toBe(false);
    const small = Array.from({ length: 11 }, () => budget.share().take(mib));
    expect(small.filter(Boolean)).toHaveLength(10);
  });

  it('takes an answer for large once it has grown', () => {
    const budget = new AnswerBudget(40 * mib);
    budget.share().take(29.5 * mib);
    const growing = budget.share();
    expect([growing.take(mib), growing.take(mib)]).toEqual([true, false]);
  });

  it('has the room again that a share gives back, once', () => {
    const budget = new AnswerBudget(40 * mib);
    const shares = [budget.share(), budget.share()] as const;
    for (const share of shares) expect(share.take(15 * mib)).toBe(true);
    shares[0].end();
    shares[0].end();
    expect(budget.share().take(16 * mib)).toBe(false);
    expect(budget.share().take(15 * mib)).toBe(true);
  });

  it('holds nothing for a share that has ended', () => {
    const budget = new AnswerBudget(40 * mib);
    const share = budget.share();
    share.end();
    expect(share.take(100 * mib)).toBe(true);
    expect(budget.share().take(30 * mib)).toBe(true);
  });

  it('is tight since it last refused something', () => {
    const budget = new AnswerBudget(mib);
    const begin = performance.now();
    budget.share().take(mib);
    expect(budget.tightSince(begin)).toBe(false);
    budget.share().take(1);
    expect([budget.tightSince(begin), budget.tightSince(Infinity)]).toEqual([true, false]);
  });

  it('is tight as long as it holds more than there is room for, because that had to be sent', () => {
    const budget = new AnswerBudget(mib);
    const [read, written] = [budget.share(), budget.share()];
    read.take(mib);
    written.force(1);
    expect(budget.tightSince(Infinity)).toBe(true);
    read.end();
    expect(budget.tightSince(Infinity)).toBe(false);
  });
});
