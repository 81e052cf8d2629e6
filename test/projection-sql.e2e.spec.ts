import { beforeAll, describe, expect, it } from 'vitest';
import { parseExactJson, readDecimal } from '#cel';
import { foldOperations } from '#dataflow';
import { until } from '#testkit';
import { freshStream, path, waitFor, writeEvent, type SingleWriteAnswer } from './api.js';
import { sql } from './sql.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();
const [one, two] = [freshStream('one'), freshStream('two')];
const name = freshStream('p').replaceAll('-', '_');
const view = `projection_${name}`;
const fields = {
  orders: { op: 'count' },
  revenue: { op: 'sum', value: 'event.data.amount' },
  mean: { op: 'avg', value: 'event.data.amount' },
  least: { op: 'min', value: 'event.data.amount' },
  most: { op: 'max', value: 'event.data.note' },
  opened: { op: 'first', value: 'event.data.note' },
  latest: { op: 'last', value: 'event.data.amount' },
  customers: { op: 'count_distinct', value: 'event.entity_id' },
  notes: { op: 'collect', value: 'event.data.note' },
  merged: { op: 'merge', value: '{event.entity_id: event.data}' },
  largest: { op: 'top', n: 2, by: 'event.data.amount', value: 'event.data.note' },
  amounts: { op: 'quantile', p: [0, 0.5, 1], value: 'event.data.amount' },
};

interface Row extends Record<string, unknown> {
  key: string;
  state: string;
}

const written: SingleWriteAnswer[] = [];

/** Writes an order of an entity; the entity determines the partition, and the currency is the key of the projection. */
async function order(stream: string, entity: string, data: string): Promise<void> {
  const event = `{"stream":"${stream}","event_type":"order.placed","entity_id":"${entity}","data":${data}}`;
  written.push(await writeEvent(system().core, event));
}

async function orders(currency: string, amounts: readonly string[]): Promise<void> {
  for (const [i, amount] of amounts.entries())
    await order(
      i % 2 ? one : two,
      `customer-${i}`,
      `{"currency":"${currency}","amount":${amount},"note":"n ${i}"}`,
    );
}

const ask = (statement: string) =>
  fetch(new URL('/', system().urls.query), {
    method: 'POST',
    body: statement,
    headers: { authorization: `Bearer ${system().key}` },
  });

async function rowsOf<T = Row>(statement: string): Promise<T[]> {
  const answer = await ask(`${statement} FORMAT JSONEachRow`);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

/** The text of the API's answer for one key, once all written events are folded. */
async function stateOf(key: string): Promise<string> {
  const at = path(`/api/v1/projections/${name}/state/${encodeURIComponent(key)}`, waitFor(written));
  let answer = await system().query.get(at);
  for (let n = 0; answer.status === 504 && n < 9; n++) answer = await system().query.get(at);
  expect(answer.status, answer.text).toBe(200);
  return answer.text;
}

async function serving(): Promise<string> {
  const answer = await system().core.get(`/api/v1/projections/${name}`);
  const { status, progress } = answer.json<{ status: string; progress: unknown }>();
  return `${status} ${progress === null}`;
}

/** Asserts that the view has a row for exactly these keys, with the API's states and the typed values of its fields. */
async function expectRows(keys: readonly string[]): Promise<void> {
  const texts = new Map<string, string>();
  for (const key of keys) texts.set(key, await stateOf(key));
  const rows = await rowsOf(`SELECT * REPLACE (toString(revenue) AS revenue) FROM ${view} ORDER BY key`);
  expect(rows.map(({ key }) => key)).toEqual(keys.toSorted());
  for (const row of rows) {
    const text = texts.get(row.key)!;
    expect(text).toContain(`"state":${row.state}`);
    const shown = JSON.parse(text) as { version: number; state: Record<string, never> };
    const { state } = shown;
    expect(Number(row['events'])).toBe(shown.version);
    expect([row['orders'], row['customers']].map(Number)).toEqual([state['orders'], state['customers']]);
    const revenue = /"revenue":([^,]+),/.exec(text)![1]!;
    expect([row['revenue'], row['revenue_text']]).toEqual([revenue, revenue]);
    expect(readDecimal(row['revenue'] as string)).toEqual(readDecimal(revenue));
    expect([row['mean'], row['least_number'], row['latest_number']]).toEqual([
      state['mean'],
      state['least'],
      state['latest'],
    ]);
    expect(row['most_number']).toBeNull();
    const json = (found: unknown) => parseExactJson(found as string);
    const exact = json(text) as { state: Record<string, unknown> };
    for (const field of ['least', 'most', 'opened', 'latest', 'merged', 'largest', 'amounts'])
      expect(json(row[field])).toEqual(exact.state[field]);
    expect((row['notes'] as string[]).map(json)).toEqual(exact.state['notes']);
  }
}

beforeAll(async () => {
  const { core } = system();
  for (const stream of [one, two]) {
    const made = await core.post('/api/v1/streams', { stream, partitions: 3 });
    expect(made.status, made.text).toBe(201);
  }
  await orders('EUR', ['0.1', '0.2', '9007199254740993', '1e-7', '128.25', '-3']);
  await orders('USD', ['25000000000000000000', '7']);
  const source = { streams: [one, two] };
  const defined = await core.post('/api/v1/projections', {
    name,
    source,
    key: 'event.data.currency',
    fields,
  });
  expect(defined.status, defined.text).toBe(201);
  await until(async () => (await serving()) === 'running true', { what: 'the projection' });
  await until(async () => (await (await ask('SHOW TABLES')).text()).includes(view), { what: 'the view' });
});

describe('SQL over a projection of two streams, by a key that is in several partitions', () => {
  it('is tried with every fold operation', () => {
    expect(new Set(Object.values(fields).map(({ op }) => op))).toEqual(new Set(Object.keys(foldOperations)));
    expect(new Set(written.map(({ stream, partition }) => `${stream}:${partition}`)).size).toBeGreaterThan(2);
  });

  it('has one row for each key, with the states of the API', async () => {
    await expectRows(['EUR', 'USD']);
  });

  it('has the largest events, and quantiles with an error of at most 1 %', async () => {
    const rows = await rowsOf<{ largest: string; least: number; median: number }>(
      `SELECT largest, JSONExtractFloat(amounts, '0') AS least, JSONExtractFloat(amounts, '0.5') AS median
       FROM ${view} WHERE key = 'EUR'`,
    );
    expect(rows.map(({ largest }) => largest)).toEqual([
      '[{"by":9007199254740993,"value":"n 2"},{"by":128.25,"value":"n 4"}]',
    ]);
    expect(Math.abs(rows[0]!.least + 3)).toBeLessThanOrEqual(0.03);
    expect(Math.abs(rows[0]!.median - 0.1)).toBeLessThanOrEqual(0.001);
  });

  it('has what the API has after more events', async () => {
    await orders('EUR', ['1', '2.5', '3']);
    await orders("it's 🎉", ['4', '5']);
    await expectRows(['EUR', 'USD', "it's 🎉"]);
  });

  it('computes with sums exactly, and filters by key and by fields', async () => {
    expect(
      await rowsOf(`SELECT toString(sum(revenue)) AS total FROM ${view} WHERE key IN ('USD', 'none')`),
    ).toEqual([{ total: '25000000000000000007' }]);
    expect(
      await rowsOf(`SELECT key FROM ${view} WHERE orders = 2 AND has(notes, '"n 0"') AND key != 'USD'`),
    ).toEqual([{ key: "it's 🎉" }]);
    expect(
      await rowsOf(`SELECT 1 AS n FROM events WHERE 'EUR' IN (SELECT key FROM ${view}) LIMIT 1`),
    ).toEqual([{ n: 1 }]);
  });

  it('has no values of an erased entity after a reset', async () => {
    const { core } = system();
    const erased = await core.send(
      'DELETE',
      path('/api/v1/entities/customer-0', { stream: two, confirm: 'customer-0' }),
    );
    expect(erased.status, erased.text).toBe(200);
    await expectRows(['EUR', 'USD', "it's 🎉"]);
    const reset = await core.send('POST', `/api/v1/projections/${name}/reset`);
    expect(reset.status, reset.text).toBe(200);
    await expect.poll(serving).toBe('running true');
    // The view of the new generation replaces the former one a moment later. Until then the answer is a 503, and never empty.
    await until(async () => (await ask(`SELECT count() FROM ${view}`)).status === 200, { what: 'the view' });
    await expectRows(['EUR', 'USD', "it's 🎉"]);
    for (const { state } of await rowsOf(`SELECT state FROM ${view}`))
      expect(state).not.toContain('customer-0');
  });

  it('has no view after the deletion of the projection, and nothing of its generations remains', async () => {
    const { core } = system();
    expect((await core.send('DELETE', `/api/v1/projections/${name}`)).status).toBe(204);
    await until(async () => !(await (await ask('SHOW TABLES')).text()).includes(view), { what: 'no view' });
    // The same answer as for a view that the key may not read.
    expect((await ask(`SELECT * FROM ${view}`)).status).toBe(403);
    // The generation from before the reset is removed some seconds after it was replaced.
    const left = `SELECT count() FROM ${system().database}.projection_results WHERE key = 'it\\'s 🎉'`;
    await expect.poll(() => sql(system(), left)).toBe('0\n');
  });
});
