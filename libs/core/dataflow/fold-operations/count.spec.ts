import { describe, expect, it } from 'vitest';
import { count } from './count.js';
import { itSatisfiesTheFoldLaws } from './laws.fixture.js';
import { anyValues, at } from './values.fixture.js';

describe('count', () => {
  it('returns the number of events', () => {
    expect(count.result(count.empty)).toBe('0');
    expect(count.result(count.add(count.add(count.empty, null, at(0)), null, at(1)))).toBe('2');
  });

  itSatisfiesTheFoldLaws(count, anyValues);
});
