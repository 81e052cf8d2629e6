import { describe, expect, it } from 'vitest';
import { SeededRandom } from './seeded-random.js';

const take = (random: SeededRandom, count: number) => Array.from({ length: count }, () => random.next());

describe('SeededRandom', () => {
  it('returns the same numbers for the same seed, and others for another seed', () => {
    expect(take(new SeededRandom(7), 100)).toEqual(take(new SeededRandom(7), 100));
    expect(take(new SeededRandom(7), 100)).not.toEqual(take(new SeededRandom(8), 100));
  });

  it('is uniform over a range', () => {
    const random = new SeededRandom(1);
    const seen = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) seen[random.int(10)]!++;
    for (const count of seen) expect(count).toBeGreaterThan(850);
  });

  it('generates distinct UUIDs of version 4', () => {
    const random = new SeededRandom(3);
    const ids = new Set(Array.from({ length: 10_000 }, () => random.uuid()));
    expect(ids.size).toBe(10_000);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('gives each fork its own numbers', () => {
    const random = new SeededRandom(5);
    expect(take(random.fork(0), 20)).not.toEqual(take(random.fork(1), 20));
    expect(take(random.fork(1), 20)).toEqual(take(new SeededRandom(5).fork(1), 20));
  });
});
