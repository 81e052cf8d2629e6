import { describe, expect, it } from 'vitest';
import type { ProjectionGeneration, ProjectionDefinition } from '#features/projections/definition';
import { ProcessorLagReader } from './processor-lag-reader.js';

const build = (id: string): ProjectionGeneration => ({
  id,
  version: 1,
  spec: { source: { streams: ['orders'] }, fields: { n: { op: 'count' } }, from: 'beginning' },
  sources: {},
  started_at: '2026-11-21T04:00:00Z',
});
const projection = (name: string, more: Partial<ProjectionDefinition> = {}): ProjectionDefinition => ({
  name,
  version: 1,
  created_at: '2026-11-21T04:00:00Z',
  paused: false,
  serving: build(name),
  building: null,
  failure: null,
  ...more,
});

function given(all: ProjectionDefinition[]) {
  const behind = new Map<string, number>();
  const lag = new ProcessorLagReader(
    { projections: { all: () => all } as never },
    {
      of: async (builds) =>
        new Map(
          builds.map(({ id }) => [id, { lag: behind.get(id) ?? 0, total: 100 + (behind.get(id) ?? 0) }]),
        ),
    },
  );
  return { behind, lag };
}

describe("the processors' lag", () => {
  it('sums the events of projections that serve reads, and has the age of the oldest', async () => {
    const { behind, lag } = given([projection('a'), projection('b')]);
    behind.set('a', 3).set('b', 4);
    expect(await lag.measure(0)).toEqual({ lag_events: 7, lag_seconds: 0 });
    behind.set('b', 0);
    expect(await lag.measure(2500)).toEqual({ lag_events: 3, lag_seconds: 2.5 });
  });

  it('excludes projections that are paused, have failed, or are being built for the first time', async () => {
    const { behind, lag } = given([
      projection('a', { paused: true }),
      projection('b', { failure: 'it does not compile' }),
      projection('c', { serving: null, building: build('c') }),
    ]);
    for (const id of ['a', 'b', 'c']) behind.set(id, 9);
    expect(await lag.measure(0)).toEqual({ lag_events: 0, lag_seconds: 0 });
  });
});
