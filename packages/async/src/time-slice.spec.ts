import { describe, expect, it } from 'vitest';
import { countSteps, TimeSlice } from './time-slice.js';

interface Piece {
  size: number;
  busyMs?: number;
  steps?: number;
}

/** Returns how many time slices end during so many pieces of work, each of `busyMs` milliseconds and `steps` steps. */
async function turnsOf(pieces: number, { size, busyMs = 0, steps = 0 }: Piece) {
  const turn = new TimeSlice();
  let turns = 0;
  for (let i = 0; i < pieces; i++) {
    const until = performance.now() + busyMs;
    while (performance.now() < until);
    countSteps(steps);
    if (!turn.over(size)) continue;
    turns++;
    await turn.end();
  }
  return turns;
}

describe('a time slice', () => {
  it('ends after some milliseconds of large pieces', async () => {
    expect(await turnsOf(8, { size: 100_000, busyMs: 6 })).toBeGreaterThanOrEqual(4);
  });

  it('ends after some milliseconds of small, slow pieces', async () => {
    expect(await turnsOf(64, { size: 1, busyMs: 0.5 })).toBeGreaterThan(0);
  });

  it('ends after some milliseconds of small pieces with many steps', async () => {
    expect(await turnsOf(3, { size: 1, busyMs: 12, steps: 30_000 })).toBe(3);
  });

  it('ends at once for a very large piece', () => {
    expect(new TimeSlice().over(1_000_000)).toBe(true);
  });

  it('lets other callbacks run when it ends', async () => {
    let served = false;
    setImmediate(() => (served = true));
    await turnsOf(2, { size: 100_000, busyMs: 12 });
    expect(served).toBe(true);
  });

  it('gets its own round of the event loop when several wait', async () => {
    let round = 0;
    let over = false;
    const count = () => {
      round++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const rounds = await Promise.all(
      Array.from({ length: 5 }, async () => {
        await new TimeSlice().end();
        return round;
      }),
    );
    over = true;
    expect(new Set(rounds).size).toBe(5);
  });
});
