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
  it('agree if they have the same values for every key', () => {
    expect(disagreements([state('SFO', 3, 1), state('LAX', 2, 0)], counted)).toEqual([]);
  });

  it('disagree if a number differs, or a key is missing in one of them', () => {
    expect(disagreements([state('SFO', 3, 2), state('LAX', 2, 0)], counted)).toEqual(['SFO']);
    expect(disagreements([state('SFO', 3, 1)], counted)).toEqual(['LAX']);
    expect(disagreements([state('SFO', 3, 1), state('LAX', 2, 0), state('JFK', 1, 0)], counted)).toEqual([
      'JFK',
    ]);
  });
});

it('the projections have valid names for any prefix of the streams', () => {
  expect(delayProjections('my.copy-', 's').airports.name).toBe('my_copy_delays_by_airport');
});
