import { describe, expect, it } from 'vitest';
import { HttpAnswerMemoryBudget } from './http-answer-memory-budget.js';

const mib = 1024 * 1024;

describe('an answer budget', () => {
  it('lets large answers use three quarters, and small answers use the rest', () => {
    const budget = new HttpAnswerMemoryBudget(40 * mib);
    expect(budget.share().take(30 * mib)).toBe(true);
    expect(budget.share().take(2 * mib)).toBe(false);
    const small = Array.from({ length: 11 }, () => budget.share().take(mib));
    expect(small.filter(Boolean)).toHaveLength(10);
  });

  it('treats an answer as large when it has grown', () => {
    const budget = new HttpAnswerMemoryBudget(40 * mib);
    budget.share().take(29.5 * mib);
    const growing = budget.share();
    expect([growing.take(mib), growing.take(mib)]).toEqual([true, false]);
  });

  it('can use the bytes of an ended share again, but only once', () => {
    const budget = new HttpAnswerMemoryBudget(40 * mib);
    const shares = [budget.share(), budget.share()] as const;
    for (const share of shares) expect(share.take(15 * mib)).toBe(true);
    shares[0].end();
    shares[0].end();
    expect(budget.share().take(16 * mib)).toBe(false);
    expect(budget.share().take(15 * mib)).toBe(true);
  });

  it('counts no bytes for a share that has ended', () => {
    const budget = new HttpAnswerMemoryBudget(40 * mib);
    const share = budget.share();
    share.end();
    expect(share.take(100 * mib)).toBe(true);
    expect(budget.share().take(30 * mib)).toBe(true);
  });

  it('reports that it was tight since its last rejection', () => {
    const budget = new HttpAnswerMemoryBudget(mib);
    const begin = performance.now();
    budget.share().take(mib);
    expect(budget.tightSince(begin)).toBe(false);
    budget.share().take(1);
    expect([budget.tightSince(begin), budget.tightSince(Infinity)]).toEqual([true, false]);
  });

  it('is tight while forced shares exceed its maximum', () => {
    const budget = new HttpAnswerMemoryBudget(mib);
    const [read, written] = [budget.share(), budget.share()];
    read.take(mib);
    written.force(1);
    expect(budget.tightSince(Infinity)).toBe(true);
    read.end();
    expect(budget.tightSince(Infinity)).toBe(false);
  });
});
