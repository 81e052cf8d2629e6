import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePipeline } from './compile-pipeline.js';
import { dryRun } from './dry-run.js';
import { pipelineCases } from './pipeline-cases.fixture.js';
import { contentText, inOrder, simulate, type SimulationSettings } from './simulation.fixture.js';

/** Returns a generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Asserts that a simulated pipeline with these failures has the same result as without failures, for random pipelines
 * and inputs.
 */
function isTheSame(course: Omit<SimulationSettings, 'random' | 'partitions'>, numRuns = 60): void {
  fc.assert(
    fc.property(
      pipelineCases,
      fc.integer(),
      fc.integer({ min: 1, max: 3 }),
      ({ spec, source }, seed, partitions) => {
        const pipeline = compilePipeline(spec);
        const expected = simulate(pipeline, source, inOrder);
        const found = simulate(pipeline, source, { ...course, partitions, random: randomFrom(seed) });
        expect(found.conflicts).toEqual([]);
        expect(found.open.filter((row) => !row.includes('/dedupe '))).toEqual([]);
        expect(found).toEqual(expected);
      },
    ),
    { numRuns },
  );
}

describe('a pipeline emits the same events', () => {
  it('for every order in which partitions are read', () => {
    isTheSame({ crashes: 0, zombies: 0, batch: 1000 });
  });

  it('for every split into batches', () => {
    isTheSame({ crashes: 0, zombies: 0, batch: 3 });
  });

  it('when tasks end and restart at any step', () => {
    isTheSame({ crashes: 0.05, zombies: 0, batch: 5 });
  });

  it('while fenced tasks continue', () => {
    isTheSame({ crashes: 0.02, zombies: 0.05, batch: 5 });
  });
});

it('a dry run of one partition emits the same events as the pipeline', async () => {
  const noneKnown = () => Promise.resolve([]);
  await fc.assert(
    fc.asyncProperty(pipelineCases, async ({ spec, source }) => {
      const pipeline = compilePipeline(spec);
      const log = source['orders/0'] ?? [];
      const others = Object.fromEntries(
        Object.keys(source)
          .filter((name) => !name.startsWith('orders/'))
          .map((name) => [name, []]),
      );
      const { emitted } = await dryRun(pipeline, log, noneKnown);
      const texts = emitted.map(({ at, event: { event_id: _, ...content } }) => contentText(at, content));
      const simulated = simulate(pipeline, { 'orders/0': log, ...others }, { ...inOrder, batch: 1 });
      expect(texts.sort()).toEqual(Object.values(simulated.emitted).sort());
    }),
    { numRuns: 60 },
  );
});
