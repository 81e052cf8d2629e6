import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { systemActor } from '#registry';
import {
  compilePipeline,
  sumStepCounts,
  type OperatorJson,
  type PipelineSpec,
  type EventCountsByOperator,
} from '#features/pipelines/computation';
import type { DirectSystemAccess } from './direct-system-access.js';
import { amount, eventsIn, idsWritten, notFlush, rowsOf, sourcesIn } from './stored.js';

/**
 * Names of two pipelines over the same streams: one copies events, the other counts them in windows. Each of these
 * pipelines has the name of its target stream.
 */
export interface CopyAndWindowPipelineNames {
  streams: readonly string[];
  copies: string;
  windows: string;
}

export function specOf(streams: readonly string[], operators: OperatorJson[]): PipelineSpec {
  return { source: { streams, where: notFlush, idle_after: '5s' }, operators, from: 'beginning' };
}

export const copying = (stream: string): OperatorJson[] => [{ emit: { stream } }];

/** The times of the driver's events are within one day, so none is late. */
export const perHour = (stream: string): OperatorJson[] => [
  { map: { data: { amount: 'event.data.amount', type: 'event.event_type' } } },
  { window: { tumbling: '1h', key: 'event.data.type', lateness: '2d' } },
  { reduce: { n: { op: 'count' }, sum: { op: 'sum', value: 'event.data.amount' } } },
  { emit: { stream } },
];

/** Defines a pipeline, or changes its definition within the same job. */
export async function pipe(
  { definitions }: DirectSystemAccess,
  name: string,
  spec: PipelineSpec,
): Promise<void> {
  const sources = Object.fromEntries(
    spec.source.streams.map((stream) => [stream, { id: definitions.stream(stream)!.id }]),
  );
  const now = new Date().toISOString();
  await definitions.pipelines.change(
    name,
    (current) => ({
      ...{ name, version: (current?.version ?? 0) + 1, created_at: now, paused: false, failure: null, spec },
      run: current?.run ?? { id: randomBytes(12).toString('hex'), started_at: now, sources },
    }),
    systemActor,
  );
}

export async function pause({ definitions }: DirectSystemAccess, name: string): Promise<void> {
  await definitions.pipelines.change(name, (one) => one && { ...one, paused: true }, systemActor);
}

/** Restarts a pipeline from the beginning, in another job. */
export async function reset({ definitions }: DirectSystemAccess, name: string): Promise<void> {
  const id = randomBytes(12).toString('hex');
  await definitions.pipelines.change(name, (one) => one && { ...one, run: { ...one.run, id } }, systemActor);
}

/** Defines both pipelines. */
export async function pipeBoth(
  behind: DirectSystemAccess,
  { streams, copies, windows }: CopyAndWindowPipelineNames,
): Promise<void> {
  await pipe(behind, copies, specOf(streams, copying(copies)));
  await pipe(behind, windows, specOf(streams, perHour(windows)));
}

/**
 * Asserts that no event is lost, duplicated or invented, that each window equals ClickHouse's result for the stored
 * events, and that the stats are complete, also those of each operator.
 */
export async function expectPiped(
  behind: DirectSystemAccess,
  piped: CopyAndWindowPipelineNames,
): Promise<void> {
  await vi.waitFor(() => expectRight(behind, piped), { timeout: 150_000, interval: 1000 });
  // Duplicates would arrive late.
  await sleep(1000);
  await expectRight(behind, piped);
}

/** Asserts that a copying pipeline has counted all events of the driver. */
export async function expectAllCounted(
  behind: DirectSystemAccess,
  { name, streams }: { name: string; streams: readonly string[] },
): Promise<void> {
  const { length } = await idsWritten(behind.stack, streams);
  await vi.waitFor(async () => expect(await countedOf(behind, name)).toEqual(counted(length, length)), {
    timeout: 60_000,
    interval: 1000,
  });
}

async function expectRight(
  behind: DirectSystemAccess,
  { streams, copies, windows }: CopyAndWindowPipelineNames,
): Promise<void> {
  const { stack } = behind;
  const events = eventsIn(stack);
  const written = new Set(await idsWritten(stack, streams));
  const query = `SELECT extract(metadata, '"source_event_id":"([^"]+)"') FROM ${events} WHERE startsWith(stream, '${copies}#')`;
  const copied = (await rowsOf(stack, query)).flat();
  const copiedOnce = new Set(copied);
  expect({
    lost: [...written].filter((id) => !copiedOnce.has(id)),
    duplicate: copied.length - copiedOnce.size,
    phantom: copied.filter((id) => !written.has(id)),
  }).toEqual({ lost: [], duplicate: 0, phantom: [] });

  const found = await rowsOf(
    stack,
    `SELECT JSONExtractString(data, 'key'), toUnixTimestamp(toStartOfHour(timestamp)), toUInt64(JSONExtractInt(data, 'n')),
       toDecimal64(extract(data, '"sum":([0-9.]+)'), 2)
     FROM ${events} WHERE startsWith(stream, '${windows}#') ORDER BY 1, 2, 3`,
  );
  const expected = await rowsOf(
    stack,
    `SELECT event_type, toUnixTimestamp(toStartOfHour(timestamp)), count(), sum(${amount})
     FROM ${events} WHERE ${sourcesIn(streams)} GROUP BY 1, 2 ORDER BY 1, 2, 3`,
  );
  const numbers = (rows: string[][]) =>
    rows.map(([key, start, n, sum]) => [key, start, n, Number(sum).toFixed(2)]);
  expect(numbers(found)).toEqual(numbers(expected));
  expect(found.length).toBeGreaterThan(20);
  expect(await countedOf(behind, copies)).toEqual(counted(written.size, written.size));
  expect(await countedOf(behind, windows)).toEqual(counted(written.size, found.length));
  const [all, results] = [passed(written.size), passed(found.length)];
  expect((await stepsOf(behind, copies)).slice(0, 1)).toEqual([all]);
  const reduced = [written.size, found.length, 0, 0, 0];
  expect((await stepsOf(behind, windows)).slice(0, 4)).toEqual([all, all, reduced, results]);
}

/** The numbers of an operator that has passed on all events. */
const passed = (events: number) => [events, events, 0, 0, 0];

/** Resolves with the numbers of each operator, in the order of the definition. */
async function stepsOf({ store, definitions }: DirectSystemAccess, name: string) {
  const { run, spec } = definitions.pipelines.get(name)!;
  const rows = await store.pipelines.progress([run.id]);
  const counts = rows.reduce<EventCountsByOperator>((sum, { steps = {} }) => sumStepCounts(sum, steps), {});
  return compilePipeline(spec).steps.map(({ key }) => counts[key]);
}

const counted = (processed: number, emitted: number) => ({
  ...{ processed, emitted },
  ...{ dropped: 0, late: 0, failed: 0 },
});

/** Resolves with what a pipeline has counted since its start. */
export async function countedOf(
  { store, definitions }: DirectSystemAccess,
  name: string,
): Promise<ReturnType<typeof counted>> {
  const total = counted(0, 0);
  for (const row of await store.pipelines.progress([definitions.pipelines.get(name)!.run.id]))
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += row[key];
  return total;
}
