import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '#api';
import { BodyMemoryBudget, BodyMemoryShare } from './collect-body.js';
import { BodyDecompressor } from './body-decompressor.js';

const mib = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Decompresses bodies that arrive at once, and returns their sizes or problem codes. The memory of all bodies counts
 * against the budget until the end.
 */
async function inflateAll(budget: BodyMemoryBudget, bodies: readonly Buffer[]): Promise<(number | string)[]> {
  const inflation = new BodyDecompressor();
  const all = bodies.map((body) =>
    inflation.inflate(body, 'gzip', { share: new BodyMemoryShare(budget), limit: 16 * mib }),
  );
  const outcomes = await Promise.allSettled(all);
  return outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value.length;
    return outcome.reason instanceof ProblemError ? outcome.reason.code : String(outcome.reason);
  });
}

describe('compressed bodies', () => {
  it('that arrive together are all decompressed', async () => {
    const bodies = Array.from({ length: 30 }, (_, i) => gzipSync(Buffer.alloc(1000 + i)));
    expect(await inflateAll(new BodyMemoryBudget(mib), bodies)).toEqual(bodies.map((_, i) => 1000 + i));
  });

  it('stop at the budget and return their bytes to it', async () => {
    const budget = new BodyMemoryBudget(mib);
    expect(await inflateAll(budget, [gzipSync(Buffer.alloc(10 * mib))])).toEqual(['overloaded']);
    expect(() => budget.take(mib)).not.toThrow();
    budget.give(mib);
  });

  it('that are many bombs use about as much memory as the budget', async () => {
    const bomb = gzipSync(Buffer.alloc(16 * mib));
    const most = 200 * mib;
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    // Garbage does not count: it is collected before a sample of more than the limit is believed.
    const sampling = setInterval(() => {
      if (process.memoryUsage().arrayBuffers - before > most) collectGarbage();
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
    }, 1);
    const outcomes = await inflateAll(
      new BodyMemoryBudget(33 * mib),
      Array.from({ length: 60 }, () => bomb),
    );
    clearInterval(sampling);
    expect(new Set(outcomes)).toContain('overloaded');
    expect(peak).toBeLessThan(most);
  });

  it('wait only up to a maximum number', async () => {
    const bodies = Array.from({ length: 300 }, () => gzipSync('{}'));
    const outcomes = await inflateAll(new BodyMemoryBudget(mib), bodies);
    expect(outcomes.filter((outcome) => outcome === 'overloaded')).toHaveLength(300 - 4 - 256);
  });
});
