import { describe, expect, it } from 'vitest';
import { Turn } from './turn.js';

/** How often a turn was over in so many pieces of work that each take some milliseconds, or none. */
async function turnsOf(pieces: number, { size, busyMs = 0 }: { size: number; busyMs?: number }) {
  const turn = new Turn();
  let turns = 0;
  for (let i = 0; i < pieces; i++) {
    const until = performance.now() + busyMs;
    while (performance.now() < until);
    if (!turn.over(size)) continue;
    turns++;
    await turn.end();
  }
  return turns;
}

describe('a turn', () => {
  it('is over after some milliseconds of large pieces', async () => {
    expect(await turnsOf(8, { size: 100_000, busyMs: 6 })).toBeGreaterThanOrEqual(4);
  });

  it('is over after some milliseconds of small pieces that are slow', async () => {
    expect(await turnsOf(64, { size: 1, busyMs: 0.5 })).toBeGreaterThan(0);
  });

  it('gives others their turn', async () => {
    let served = false;
    setImmediate(() => (served = true));
    await turnsOf(2, { size: 100_000, busyMs: 12 });
    expect(served).toBe(true);
  });
});
