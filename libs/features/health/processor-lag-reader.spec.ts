import { describe, expect, it, vi } from 'vitest';
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
  const lags = new Map<string, { lag: number; seconds: number }>();
  const lag = new ProcessorLagReader(
    { projections: { all: () => all }, pipelines: { all: () => [] } } as never,
    {
      of: async (builds) =>
        new Map(builds.map(({ id }) => [id, { total: 100, ...(lags.get(id) ?? { lag: 0, seconds: 0 }) }])),
    },
    { of: async () => new Map() },
  );
  return { lags, lag };
}

describe("the processors' lag", () => {
  it('sums the events of projections that serve reads, and has the age of the oldest', async () => {
    const { lags, lag } = given([projection('a'), projection('b')]);
    lags.set('a', { lag: 3, seconds: 2.5 }).set('b', { lag: 4, seconds: 1 });
    expect(await lag.measure()).toEqual({ lag_events: 7, lag_seconds: 2.5 });
  });

  it('excludes projections that are paused, have failed, or are being built for the first time', async () => {
    const { lags, lag } = given([
      projection('a', { paused: true }),
      projection('b', { failure: 'it does not compile' }),
      projection('c', { serving: null, building: build('c') }),
    ]);
    for (const id of ['a', 'b', 'c']) lags.set(id, { lag: 9, seconds: 9 });
    expect(await lag.measure()).toEqual({ lag_events: 0, lag_seconds: 0 });
  });

  it('is measured again and again for each projection and pipeline, also for those that are paused or have failed', async () => {
    vi.useFakeTimers();
    const measured: string[] = [];
    const note = async (ids: readonly { id: string }[]) => {
      measured.push(...ids.map(({ id }) => id));
      return new Map<string, never>();
    };
    const all = [
      projection('a', { failure: 'it does not compile' }),
      projection('b', { paused: true }),
      projection('c', { serving: null, building: build('c') }),
    ];
    const lag = new ProcessorLagReader(
      { projections: { all: () => all }, pipelines: { all: () => [{ id: 'p' }] } } as never,
      { of: note },
      { of: note as never },
    );
    const lags: unknown[] = [];
    const stop = lag.follow(1000, (found) => lags.push(found));
    await vi.advanceTimersByTimeAsync(2000);
    stop();
    await vi.advanceTimersByTimeAsync(5000);
    vi.useRealTimers();
    expect(measured).toEqual(['a', 'b', 'c', 'p', 'a', 'b', 'c', 'p']);
    expect(lags).toHaveLength(4);
  });
});
