import { randomBytes } from 'node:crypto';
import { expect, vi } from 'vitest';
import { systemActor } from '#registry';
import { type ProjectionGeneration } from '#features/projections/definition';
import { compileFold, type FoldState } from '#dataflow';
import type { DirectSystemAccess } from './direct-system-access.js';
import { amount, eventsIn, notFlush, rowsOf, sourcesIn } from './stored.js';

const fields = { n: { op: 'count' }, sum: { op: 'sum', value: 'event.data.amount' } };
const keys = {
  entity_id: '(event.entity_id == null ? "" : event.entity_id) + "."',
  event_type: 'event.event_type + "."',
};
const patience = { timeout: 120_000, interval: 200 };

/**
 * A projection that `project` has defined over the events of a `LoadDriver`, and the generation that this call started.
 */
export interface ProjectionUnderTest {
  name: string;
  by: keyof typeof keys;
  streams: readonly string[];
  build: ProjectionGeneration;
}

/**
 * Defines a projection of the driver's events directly in the definitions, without the API. If the projection exists,
 * starts another generation of it.
 */
export async function project(
  { definitions }: DirectSystemAccess,
  { name, by, streams }: Omit<ProjectionUnderTest, 'build'>,
): Promise<ProjectionUnderTest> {
  const build: ProjectionGeneration = {
    ...{ id: randomBytes(12).toString('hex'), version: 1, started_at: new Date().toISOString() },
    spec: { source: { streams, where: notFlush }, key: keys[by], fields, from: 'beginning' },
    sources: Object.fromEntries(streams.map((stream) => [stream, { id: definitions.stream(stream)!.id }])),
  };
  await definitions.projections.change(
    name,
    (current) => ({
      ...{ name, version: 1, created_at: build.started_at, paused: false, failure: null },
      ...{ serving: current?.serving ?? null, building: build },
    }),
    systemActor,
  );
  return { name, by, streams, build };
}

/** Asserts that the projection's state of every key equals ClickHouse's result for the stored events. */
export async function expectStates(
  behind: DirectSystemAccess,
  projected: ProjectionUnderTest,
): Promise<void> {
  const { stack, store, definitions } = behind;
  const { name, by, build, streams } = projected;
  await vi.waitFor(() => expect(definitions.projections.get(name)?.serving?.id).toBe(build.id), patience);
  await vi.waitFor(() => expectThrough(behind, projected), patience);
  const fold = compileFold(fields);
  const found = new Map<string, string>();
  for (const { key, parts } of await store.projections.keys({ owner: build.id, limit: 10_000 })) {
    const merged = parts
      .map(({ state }) => JSON.parse(state) as FoldState)
      .reduce((a, b) => fold.merge(a, b));
    const { n, sum } = fold.results(merged);
    found.set(key, `${n} ${Number(sum).toFixed(2)}`);
  }
  const rows = await rowsOf(
    stack,
    `SELECT concat(${by}, '.'), count(), sum(${amount}) FROM ${eventsIn(stack)} WHERE ${sourcesIn(streams)} GROUP BY 1`,
  );
  const expected = new Map(rows.map(([key, n, sum]) => [key!, `${n} ${Number(sum).toFixed(2)}`]));
  const wrong = [...new Set([...found.keys(), ...expected.keys()])]
    .filter((key) => found.get(key) !== expected.get(key))
    .map((key) => `wrong projection: ${key} has ${found.get(key)}, but shall have ${expected.get(key)}`);
  expect(wrong).toEqual([]);
  expect(found.size).toBeGreaterThan(3);
}

async function expectThrough(
  { stack, log, definitions }: DirectSystemAccess,
  { build, streams }: ProjectionUnderTest,
): Promise<void> {
  for (const stream of streams) {
    const topic = stack.topics.ofStream(definitions.stream(stream)!.id);
    const committed = await log.admin.committed(stack.topics.projectionGroup(build.id), topic);
    const behind = (await log.admin.offsets(topic)).filter(
      ({ partition, end }) => (committed.get(partition) ?? 0) < end,
    );
    expect(behind).toEqual([]);
  }
}
