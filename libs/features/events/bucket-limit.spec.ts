import { describe, expect, it } from 'vitest';
import { parseTime } from '#json';
import { requireWithinBucketLimit, requireRangeWithinBucketLimit, maxBuckets } from './bucket-limit.js';

const since = parseTime('2026-11-21T00:00:00Z') ?? NaN;

describe('the number of buckets', () => {
  it('may be as large as an answer allows', () => {
    requireRangeWithinBucketLimit({ since, until: since + maxBuckets * 1e6 }, 1);
    requireRangeWithinBucketLimit({ since }, 1);
    requireWithinBucketLimit(Array.from({ length: maxBuckets }, () => ({ count: 1 })));
  });

  it('is refused before the read when time range and interval exceed the limit', () => {
    expect(() => requireRangeWithinBucketLimit({ since, until: since + (maxBuckets + 1) * 1e6 }, 1)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it('is refused after the read when only the events show that it exceeds the limit', () => {
    expect(() =>
      requireWithinBucketLimit(Array.from({ length: maxBuckets + 1 }, () => ({ count: 1 }))),
    ).toThrow(expect.objectContaining({ code: 'query_too_expensive' }));
  });
});
