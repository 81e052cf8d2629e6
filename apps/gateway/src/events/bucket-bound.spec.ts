import { describe, expect, it } from 'vitest';
import { parseTime } from '#event';
import { checkBuckets, checkStretches, mostBuckets } from './bucket-bound.js';

const since = parseTime('2026-11-21T00:00:00Z') ?? NaN;

describe('the number of buckets', () => {
  it('may be as large as an answer holds', () => {
    checkStretches({ since, until: since + mostBuckets * 1e6 }, 1);
    checkStretches({ since }, 1);
    checkBuckets(Array.from({ length: mostBuckets }, () => ({ count: 1 })));
  });

  it('is refused before reading when time and interval tell', () => {
    expect(() => checkStretches({ since, until: since + (mostBuckets + 1) * 1e6 }, 1)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it('is refused after reading where only the events tell', () => {
    expect(() => checkBuckets(Array.from({ length: mostBuckets + 1 }, () => ({ count: 1 })))).toThrow(
      expect.objectContaining({ code: 'query_too_expensive' }),
    );
  });
});
