import { describe, expect, it } from 'vitest';
import { describeOutcome, isComplete, type DatasetLoadResult } from './demo.js';

const complete: DatasetLoadResult = {
  stream: 'flights',
  rows: 200_000,
  before: 0,
  written: 200_000,
  seconds: 4,
  found: 200_000,
};

describe('the outcome of a dataset', () => {
  it('is complete if as many events were found as were sent', () => {
    expect(isComplete(complete)).toBe(true);
    expect(isComplete({ ...complete, before: 150_000, written: 50_000 })).toBe(true);
  });

  it.each([199_999, 200_001])('is wrong if %i of 200 000 were found', (found) => {
    expect(isComplete({ ...complete, found })).toBe(false);
    expect(describeOutcome({ ...complete, found })).toContain('WRONG');
  });

  it('contains the speed', () => {
    expect(describeOutcome(complete)).toBe(
      'flights: 200 000 in, 200 000 out: in = out; 50 000 events/s until queryable',
    );
  });

  it('contains no speed if all events were stored before', () => {
    expect(describeOutcome({ ...complete, before: 200_000, written: 0 })).toBe(
      'flights: 200 000 in (200 000 of them by an earlier run), 200 000 out: in = out; nothing to write',
    );
  });
});
