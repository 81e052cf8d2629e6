import { describe, expect, it } from 'vitest';
import { delayProjections, disagreements } from './delays.js';

const state = (key: string, flights: number, late: number) => ({
  key,
  state: { flights, late, mean_delay: 1, worst_delay: 2 },
});
const counted = new Map([
  ['SFO', { flights: 3, late: 1 }],
  ['LAX', { flights: 2, late: 0 }],
]);

describe('a projection and ClickHouse', () => {
  it('agree when they say the same of every key', () => {
    expect(disagreements([state('SFO', 3, 1), state('LAX', 2, 0)], counted)).toEqual([]);
  });

  it('do not when one number differs, or one of them does not know a key', () => {
    expect(disagreements([state('SFO', 3, 2), state('LAX', 2, 0)], counted)).toEqual(['SFO']);
    expect(disagreements([state('SFO', 3, 1)], counted)).toEqual(['LAX']);
    expect(disagreements([state('SFO', 3, 1), state('LAX', 2, 0), state('JFK', 1, 0)], counted)).toEqual([
      'JFK',
    ]);
  });
});

it('the projections have names that may be names, whatever is put before the streams', () => {
  expect(delayProjections('my.copy-', 's').airports.name).toBe('my_copy_delays_by_airport');
});
