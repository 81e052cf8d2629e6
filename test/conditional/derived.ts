import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import type { ObservedEvent, TestSystem } from '#testkit';
import { freshStream, path } from '../api.js';
import { eventsIn, rowsOf } from '../processing/stored.js';

/** Names of a projection and a pipeline over streams whose topics also contain refused records. */
interface ConditionalTestDefinitionNames {
  projection: string;
  /** The name of the pipeline and of its target stream. */
  large: string;
}

/**
 * The stored events, and the amount of each in tenths, from which the expected states and emitted events are computed.
 */
interface StoredEventAmounts {
  stored: readonly ObservedEvent[];
  amounts: ReadonlyMap<string, number>;
}

const patience = { timeout: 180_000, interval: 1_000 };
const threshold = 5_000;

/** Creates the streams, a count and sum for each entity, and a pipeline that emits the events with large amounts. */
export async function derive(
  { core }: TestSystem,
  streams: readonly string[],
): Promise<ConditionalTestDefinitionNames> {
  const create = async (resource: string, body: object): Promise<void> => {
    const { status, text } = await core.post(`/api/v1/${resource}`, body);
    expect(status, text).toBe(201);
  };
  const derived = { projection: freshStream('by_entity'), large: freshStream('large') };
  for (const stream of [...streams, derived.large])
    await create('streams', { stream, partitions: 4, snapshot_every: 5 });
  await create('projections', {
    ...{ name: derived.projection, source: { streams } },
    key: '(event.entity_id == null ? "" : event.entity_id) + "."',
    fields: { n: { op: 'count' }, sum: { op: 'sum', value: 'event.data.amount' } },
  });
  await create('pipelines', {
    ...{ name: derived.large, source: { streams } },
    operators: [{ filter: `event.data.amount > ${threshold}.0` }, { emit: { stream: derived.large } }],
  });
  return derived;
}

/** Asserts that projection, pipeline and entity states equal what the stored events make, and stay so. */
export async function expectDerived(
  stack: TestSystem,
  derived: ConditionalTestDefinitionNames,
  source: StoredEventAmounts,
): Promise<void> {
  const right = async (): Promise<void> => {
    expect(await states(stack, derived.projection)).toEqual(expectedStates(source));
    expect(await copiedBy(stack, derived.large)).toEqual(largeIn(source));
  };
  await vi.waitFor(right, patience);
  // A refused record that is processed, or a repeated emission, would arrive late.
  await sleep(1_000);
  await right();
  for (const [entity, last] of lastEvents(source)) await expectState(stack, entity, last, source);
}

async function states(stack: TestSystem, projection: string): Promise<Map<string, string>> {
  const answer = await stack.core.get(path(`/api/v1/projections/${projection}/state`, { limit: '1000' }));
  expect(answer.status, answer.text).toBe(200);
  const { states } = answer.json<{ states: { key: string; state: { n: number; sum: number } }[] }>();
  return new Map(
    states
      .map(({ key, state }): [string, string] => [key, `${state.n} ${Math.round(state.sum * 10)}`])
      .sort(),
  );
}

function expectedStates({ stored, amounts }: StoredEventAmounts): Map<string, string> {
  const totals = new Map<string, { n: number; sum: number }>();
  for (const { event_id, entity_id } of stored) {
    const { n, sum } = totals.get(entity_id!) ?? { n: 0, sum: 0 };
    totals.set(entity_id!, { n: n + 1, sum: sum + amounts.get(event_id)! });
  }
  return new Map([...totals].map(([id, { n, sum }]): [string, string] => [`${id}.`, `${n} ${sum}`]).sort());
}

async function copiedBy(stack: TestSystem, stream: string): Promise<string[]> {
  const source = `extract(metadata, '"source_event_id":"([^"]+)"')`;
  const query = `SELECT ${source} FROM ${eventsIn(stack)} WHERE startsWith(stream, '${stream}#')`;
  return (await rowsOf(stack, query)).flat().sort();
}

function largeIn({ stored, amounts }: StoredEventAmounts): string[] {
  const ids = stored.map(({ event_id }) => event_id);
  return ids.filter((id) => amounts.get(id)! > threshold * 10).sort();
}

function lastEvents({ stored }: StoredEventAmounts): Map<string, ObservedEvent> {
  const last = new Map<string, ObservedEvent>();
  for (const event of stored) {
    const name = `${event.stream}/${event.entity_id}`;
    if ((last.get(name)?.version ?? 0) < event.version!) last.set(name, event);
  }
  return last;
}

/** Asserts the state of an entity, which the gateway computes from a snapshot and later events. */
async function expectState(
  { core }: TestSystem,
  ...[name, last, { amounts }]: [string, ObservedEvent, StoredEventAmounts]
): Promise<void> {
  const entity = encodeURIComponent(last.entity_id!);
  const answer = await core.get(path(`/api/v1/entities/${entity}/state`, { stream: last.stream }));
  expect(answer.status, `${name}: ${answer.text}`).toBe(200);
  const { version, state } = answer.json<{ version: number; state: { amount: number } }>();
  const found = { version, amount: Math.round(state.amount * 10) };
  expect(found, name).toEqual({ version: last.version, amount: amounts.get(last.event_id) });
}
