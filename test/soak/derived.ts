import { vi, expect } from 'vitest';
import { HttpClient } from '#testkit';
import { path } from '../api.js';
import { sql } from '../sql.js';
import { ask, freshName, type SoakContext } from './soak-context.js';

/**
 * Names of the projection and the pipelines of the soak test, whose results are compared with those that ClickHouse
 * computes from the stored events.
 */
interface SoakTestDefinitionNames {
  projection: string;
  copies: string;
  windows: string;
}

/** The type of the events that do not come from the driver. */
const flush = 'flush';
const fields = { n: { op: 'count' }, sum: { op: 'sum', value: 'event.data.amount' } };

/** Defines a projection by entity, a pipeline that copies, and one that counts by hour. */
export async function derive(soaked: SoakContext): Promise<SoakTestDefinitionNames> {
  const { streams } = soaked;
  const derived = {
    projection: freshName('by_entity'),
    copies: freshName('copies'),
    windows: freshName('windows'),
  };
  for (const stream of [...streams, derived.copies, derived.windows])
    await ask(soaked, 'POST', '/api/v1/streams', { stream, snapshot_every: 5 });
  const source = { streams, where: `event.event_type != "${flush}"` };
  await ask(soaked, 'POST', '/api/v1/projections', {
    ...{ name: derived.projection, source, fields },
    key: '(event.entity_id == null ? "" : event.entity_id) + "."',
  });
  const piped = { ...source, idle_after: '5s' };
  await ask(soaked, 'POST', '/api/v1/pipelines', {
    ...{ name: derived.copies, source: piped, operators: [{ emit: { stream: derived.copies } }] },
  });
  await ask(soaked, 'POST', '/api/v1/pipelines', {
    ...{ name: derived.windows, source: piped },
    operators: [
      { map: { data: { amount: 'event.data.amount', type: 'event.event_type' } } },
      // The times of the driver's events are within one day, so none is late.
      { window: { tumbling: '1h', key: 'event.data.type', lateness: '2d' } },
      { reduce: fields },
      { emit: { stream: derived.windows } },
    ],
  });
  return derived;
}

/**
 * Resolves when all results equal those that ClickHouse computes from the stored events. @throws an Error with the
 * differences if they do not disappear
 */
export async function expectDerived(soaked: SoakContext, derived: SoakTestDefinitionNames): Promise<void> {
  await closeWindows(soaked);
  const patience = { timeout: 180_000, interval: 2_000 };
  await vi.waitFor(async () => expect(await wrongStates(soaked, derived)).toEqual([]), patience);
  await vi.waitFor(async () => expect(await wrongCopies(soaked, derived)).toEqual([]), patience);
  await vi.waitFor(async () => expect(await wrongWindows(soaked, derived)).toEqual([]), patience);
}

/** Writes current events to every partition, so the watermark passes all events of the driver. */
async function closeWindows({ stack, streams }: SoakContext): Promise<void> {
  const client = new HttpClient(stack.urls.ingest);
  for (const stream of streams) {
    const events = Array.from({ length: 60 }, (_, i) => ({
      stream,
      event_type: flush,
      entity_id: `flush-${i}`,
      data: {},
    }));
    expect((await client.post('/api/v1/events/batch', { events })).status).toBe(201);
  }
  await client.close();
}

async function rowsOf({ stack }: SoakContext, query: string): Promise<string[][]> {
  const text = await sql(stack, `${query} FORMAT JSONCompactEachRow`);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as unknown[]).map(String));
}

const sourcesIn = ({ streams }: SoakContext): string =>
  `substringIndex(stream, '#', 1) IN (${streams.map((stream) => `'${stream}'`).join()}) AND event_type != '${flush}'`;
const eventsIn = ({ stack }: SoakContext): string => `${stack.database}.events FINAL`;
/** An SQL expression for the amount: ClickHouse's JSON parser refuses the numbers of thirty digits in the data. */
const amount = `toDecimal64(extract(data, '"amount":([0-9.]+)'), 2)`;

function differences(kind: string, found: Map<string, string>, expected: Map<string, string>): string[] {
  return [...new Set([...found.keys(), ...expected.keys()])]
    .filter((key) => found.get(key) !== expected.get(key))
    .map((key) => `${kind}: ${key} has ${found.get(key)}, but shall have ${expected.get(key)}`)
    .slice(0, 20);
}

async function wrongStates(soaked: SoakContext, { projection }: SoakTestDefinitionNames): Promise<string[]> {
  const found = new Map<string, string>();
  for (let cursor = ''; ;) {
    const page = path(`/api/v1/projections/${projection}/state`, { limit: '1000' }, cursor ? { cursor } : {});
    const answer = await soaked.stack.query.get(page);
    if (answer.status !== 200) return [answer.text];
    const { states, next_cursor } = answer.json<{
      states: { key: string; state: { n: number; sum: number } }[];
      next_cursor: string | null;
    }>();
    for (const { key, state } of states) found.set(key, `${state.n} ${state.sum.toFixed(2)}`);
    if (!next_cursor) break;
    cursor = next_cursor;
  }
  const rows = await rowsOf(
    soaked,
    `SELECT concat(entity_id, '.'), count(), sum(${amount}) FROM ${eventsIn(soaked)} WHERE ${sourcesIn(soaked)} GROUP BY 1`,
  );
  return differences(
    'wrong projection',
    found,
    new Map(rows.map(([key, n, sum]) => [key!, `${n} ${Number(sum).toFixed(2)}`])),
  );
}

async function wrongCopies(soaked: SoakContext, { copies }: SoakTestDefinitionNames): Promise<string[]> {
  const events = eventsIn(soaked);
  const written = new Set(
    (await rowsOf(soaked, `SELECT event_id FROM ${events} WHERE ${sourcesIn(soaked)}`)).flat(),
  );
  const copied = await rowsOf(
    soaked,
    `SELECT extract(metadata, '"source_event_id":"([^"]+)"') FROM ${events} WHERE startsWith(stream, '${copies}#')`,
  );
  const seen = new Set<string>();
  const findings: string[] = [];
  for (const id of copied.flat()) {
    if (seen.has(id)) findings.push(`duplicate: the copy of ${id}`);
    if (!written.has(id)) findings.push(`phantom: the copy of ${id}`);
    seen.add(id);
  }
  for (const id of written) if (!seen.has(id)) findings.push(`lost: the copy of ${id}`);
  return findings.slice(0, 20);
}

async function wrongWindows(soaked: SoakContext, { windows }: SoakTestDefinitionNames): Promise<string[]> {
  const key = (rows: string[][]) =>
    new Map(rows.map(([type, start, n, sum]) => [`${type} ${start}`, `${n} ${Number(sum).toFixed(2)}`]));
  const found = await rowsOf(
    soaked,
    `SELECT JSONExtractString(data, 'key'), toUnixTimestamp(toStartOfHour(timestamp)), toUInt64(JSONExtractInt(data, 'n')),
       toDecimal64(extract(data, '"sum":([0-9.]+)'), 2) FROM ${eventsIn(soaked)} WHERE startsWith(stream, '${windows}#')`,
  );
  const expected = await rowsOf(
    soaked,
    `SELECT event_type, toUnixTimestamp(toStartOfHour(timestamp)), count(), sum(${amount})
     FROM ${eventsIn(soaked)} WHERE ${sourcesIn(soaked)} GROUP BY 1, 2`,
  );
  const twice = found.length > key(found).size ? ['duplicate: a window was emitted twice'] : [];
  return [...twice, ...differences('wrong window', key(found), key(expected))];
}
