import { describe, expect, it } from 'vitest';
import { PageSize } from './page-size.js';

const given = () => new PageSize({ first: 64, most: 500, bytes: 1_000 });

describe('PageSize', () => {
  it('becomes a quarter where a page was too large, and is one at least', () => {
    const size = given();
    size.tooLarge(64);
    expect(size.rows).toBe(16);
    size.tooLarge(3);
    expect(size.rows).toBe(1);
  });

  it('is as many rows as fit, by the size of those before', () => {
    const size = given();
    size.learn(64, 6_400);
    expect(size.rows).toBe(10);
  });

  it('grows fourfold at most, up to the most', () => {
    const size = given();
    size.learn(64, 0);
    expect(size.rows).toBe(256);
    size.learn(256, 1);
    expect(size.rows).toBe(500);
  });

  it('is one row where each is larger than a page should be', () => {
    const size = given();
    size.learn(2, 10_000);
    expect(size.rows).toBe(1);
  });
});
