import { describe, expect, it } from 'vitest';
import { AdaptivePageSize } from './adaptive-page-size.js';

const given = () => new AdaptivePageSize({ first: 64, most: 500, bytes: 1_000 });

describe('AdaptivePageSize', () => {
  it('shrinks to a quarter after a page that was too large, but not below one row', () => {
    const size = given();
    size.tooLarge(64);
    expect(size.rows).toBe(16);
    size.tooLarge(3);
    expect(size.rows).toBe(1);
  });

  it('is one row after a page that took too long', () => {
    const size = given();
    size.tooSlow();
    expect(size.rows).toBe(1);
  });

  it('is the number of rows that fit, given the size of earlier rows', () => {
    const size = given();
    size.learn(64, 6_400);
    expect(size.rows).toBe(10);
  });

  it('grows at most fourfold at a time, up to the maximum', () => {
    const size = given();
    size.learn(64, 0);
    expect(size.rows).toBe(256);
    size.learn(256, 1);
    expect(size.rows).toBe(500);
  });

  it('is one row when each row is larger than a page', () => {
    const size = given();
    size.learn(2, 10_000);
    expect(size.rows).toBe(1);
  });
});
