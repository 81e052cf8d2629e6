import { describe, expect, it } from 'vitest';
import { parseTime } from '#event';
import { requireFewBuckets, requireFewStretches, mostBuckets } from './bucket-bound.js';

const since = parseTime('2026-11-21T00:00:00Z') ?? NaN;

describe('the number of buckets', () => {
  it('may be as large as an answer allows', () => {
    requireFewStretches({ since, until: since + mostBuckets * 1e6 }, 1);
    requireFewStretches({ since }, 1);
    requireFewBuckets(Array.from({ length: mostBuckets }, () => ({ count: 1 })));
  });

  it('is refused before the read when time range and interval exceed the limit', () => {
    expect(() => requireFewStretches({ since, until: since + (mostBuckets + 1) * 1e6 }, 1)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it('is refused after the read when only the events show that it exceeds the limit', () => {
    expect(() => requireFewBuckets(Array.from({ length: mostBuckets + 1 }, () => ({ count: 1 })))).toThrow(
      expect.objectContaining({ code: 'query_too_expensive' }),
    );
  });
});
