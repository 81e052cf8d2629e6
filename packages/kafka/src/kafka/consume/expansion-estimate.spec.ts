import { describe, expect, it } from 'vitest';
import { ExpansionEstimate } from './expansion-estimate.js';

describe('the estimate of how far fetched records expand', () => {
  it('asks for little before the first fetch, and for everything once records are not compressed', () => {
    const estimate = new ExpansionEstimate();
    expect(estimate.toFetch(8_000)).toBe(1_000);
    for (let i = 0; i < 100; i++) estimate.observe({ fetched: 500, inMemory: 500 });
    expect(estimate.toFetch(8_000)).toBeGreaterThan(7_900);
  });

  it('follows records that expand further at once', () => {
    const estimate = new ExpansionEstimate();
    estimate.observe({ fetched: 1_000, inMemory: 20_000 });
    expect(estimate.toFetch(40_000)).toBe(2_000);
  });

  it('asks for at least one byte, with which a broker sends one batch', () => {
    expect(new ExpansionEstimate().toFetch(-5)).toBe(1);
  });
});
