import { randomBytes, randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshAnalystDatabase } from '#testkit';
import { parseExactJson, readDecimal } from '#cel';
import { compileFold, foldOperations, type FoldState } from '#dataflow';
import type { ProjectionGeneration } from '#features/projections/definition';
import type { KeyedStateRow } from '#store';
import { numberTexts } from '../../../packages/cel/src/decimal.fixture.js';
import { event } from '../../core/dataflow/folds/event.fixture.js';
import { openTestStore, type TestStore } from '../../core/store/clickhouse/test-store.js';
import { partitionProgress, stateRow } from '../../core/store/keyed-states.fixture.js';
import { foldOf } from '#features/projections/definition';
import { keyState, mergedKey } from '#features/projections';
import { Bulkhead } from '#gateway-kit';
import { fieldsOf } from './analyst-views.js';
import { AnalystSqlRunner } from './clickhouse/analyst-sql-runner.js';
import { ProjectionResults } from './projection-results.js';

const never = new AbortController().signal;

/** An event of a projection: where it is, its key, and `event.data` as JSON text. */
interface FoldedEvent {
  stream: string;
  partition: number;
  key: string;
  data: string;
}

let given: TestStore;
let sql: AnalystSqlRunner;
let results: ProjectionResults;

beforeAll(async () => {
  given = await openTestStore({ analysts: await freshAnalystDatabase() });
  sql = new AnalystSqlRunner(given.options, { user: given.analysts });
  results = new ProjectionResults(
    given.store,
    new Bulkhead({ concurrent: 4, queued: 100, waitMs: 10_000 }),
    () => never,
  );
});
afterAll(async () => {
  await given.engine.command({ query: `DROP DATABASE IF EXISTS ${sql.database} SYNC` });
  await sql.close();
  await given.close();
});

/** Publishes the view of a new projection over two streams. */
async function projected(fields: ProjectionGeneration['spec']['fields']): Promise<ProjectionGeneration> {
  const generation: ProjectionGeneration = {
    ...{ id: randomBytes(12).toString('hex'), version: 1, started_at: '1' },
    sources: { a: { id: 'a#1' }, b: { id: 'b#1' } },
    spec: { source: { streams: ['a', 'b'] }, key: 'event.data.key', fields, from: 'beginning' },
  };
  const view = { view: 'projection_p', generation: generation.id, fields: fieldsOf(generation) };
  await sql.publish({ eventTypes: [], projections: [view] });
  return generation;
}

/** Folds the events in each partition and saves the states, like a processor. An event that is rejected is left out. */
async function folded(generation: ProjectionGeneration, events: readonly FoldedEvent[]): Promise<void> {
  const fold = compileFold(generation.spec.fields);
  const rows = new Map<string, KeyedStateRow>();
  const next = new Map<string, { stream: string; partition: number; next: number }>();
  for (const { stream, partition, key, data } of events) {
    const place = `${stream}:${partition}`;
    const position = next.get(place)?.next ?? 0;
    next.set(place, { stream, partition, next: position + 1 });
    const known = rows.get(`${place}:${key}`);
    const state = known ? (JSON.parse(known.state) as FoldState) : fold.empty;
    const { state: after } = fold.add(state, event(data, { stream, partition, offset: position }));
    if (!after) continue;
    const row = { owner: generation.id, stream, partition, key, position, events: (known?.events ?? 0) + 1 };
    rows.set(
      `${place}:${key}`,
      stateRow({ ...row, state: JSON.stringify(after), updated_at: position * 1000 }),
    );
  }
  const ends = [...next.values()].map((end) => partitionProgress({ owner: generation.id, ...end }));
  await given.store.projections.save([...rows.values()], ends);
}

async function answered<Row>(generation: ProjectionGeneration, statement: string): Promise<Row[]> {
  const question = {
    ...{ text: statement, params: new Map<string, string>(), format: 'JSONEachRow', queryId: randomUUID() },
    ...{ seconds: undefined, acceptEncoding: undefined, transport: {} },
    permitted: { access: { patterns: [], reserved: false }, hidden: [] },
    ...{ views: ['events', 'projection_p'], generations: [generation.id] },
  };
  const checked = await sql.check(question, never);
  await results.bringUpToDate(checked.views, new Map([['projection_p', generation]]), never);
  const lines = (await text((await sql.run(question, checked, never)).body)).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Row);
}

/** The states as the API shows them, by key. */
async function states(generation: ProjectionGeneration) {
  const keys = await given.store.projections.keys({ owner: generation.id, limit: 10_000 });
  const fold = foldOf(generation);
  return new Map(
    keys.map((key) => {
      const merged = mergedKey(fold, key);
      return [key.key, { ...keyState(fold, merged), results: fold.results(merged.folded) }];
    }),
  );
}

type Cells = Record<string, string | null>;

/** Returns a number without an exponent if it is at most 10^38 and has at most 18 decimal places, otherwise null. */
function decimal(text: string): string | null {
  const { units, scale } = readDecimal(text)!;
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const [whole, places] = [digits.slice(0, digits.length - scale), digits.slice(digits.length - scale)];
  const fraction = places.replace(/0+$/, '');
  if (Math.abs(Number(text)) > 1e38 || fraction.length > 18) return null;
  return `${units < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

/** What the typed columns of a field have for a result of the API, as texts. */
function expectedCells(op: string, name: string, result: string): Cells {
  const number = Number.isFinite(Number(result)) && /^-?\d/.test(result) ? Number(result) : null;
  const asText = number === null ? null : String(number + 0);
  switch (foldOperations[op]?.resultType) {
    case 'count':
    case 'json':
      return { [name]: result };
    case 'sum':
      return {
        [name]: decimal(result),
        [`${name}_text`]: result,
      };
    case 'mean':
      return { [name]: asText };
    case 'value':
      return { [name]: result === 'null' ? null : result, [`${name}_number`]: asText };
    default:
      return { [name]: result };
  }
}

/** Reads all typed columns exactly: numbers as the nearest double, lists joined to JSON. */
function actualCells(op: string, name: string, row: Record<string, unknown>): Cells {
  const double = (value: unknown) => (value === null ? null : String(Number(value) + 0));
  const value = row[name];
  const as = (found: unknown) => (found === null ? null : `${found as string}`);
  switch (foldOperations[op]?.resultType) {
    case 'sum':
      return { [name]: as(value), [`${name}_text`]: as(row[`${name}_text`]) };
    case 'mean':
      return { [name]: double(value) };
    case 'value':
      return { [name]: as(value), [`${name}_number`]: double(row[`${name}_number`]) };
    case 'list':
      return { [name]: `[${(value as string[]).join(',')}]` };
    default:
      return { [name]: as(value) };
  }
}

/** Asserts that the view has exactly the API's states: one row for each key, and each typed column with the field's value. */
async function expectSame(generation: ProjectionGeneration): Promise<number> {
  const expected = await states(generation);
  const { fields } = generation.spec;
  const sums = Object.entries(fields).filter(([, { op }]) => op === 'sum');
  // As text, because JSON output of a decimal is a number that JSON.parse would round.
  const exact = sums.map(([name]) => `toString(${name}) AS ${name}`).join(', ');
  const rows = await answered<Record<string, unknown> & { key: string; state: string }>(
    generation,
    `SELECT * ${exact && `REPLACE (${exact})`},
      toUnixTimestamp64Micro(updated_at) AS micros FROM projection_p ORDER BY key`,
  );
  expect(rows.map(({ key }) => key)).toEqual([...expected.keys()]);
  for (const row of rows) {
    const state = expected.get(row.key)!;
    expect(row.state).toBe(state.state);
    expect([Number(row['events']), Number(row['micros'])]).toEqual([state.version, state.updatedAt]);
    for (const [name, { op }] of Object.entries(fields))
      expect(actualCells(op, name, row)).toEqual(expectedCells(op, name, state.results[name]!));
  }
  return rows.length;
}

const value = 'event.data.v';
const number = 'event.data.n';
const every: ProjectionGeneration['spec']['fields'] = {
  n: { op: 'count' },
  total: { op: 'sum', value: number },
  mean: { op: 'avg', value: number },
  least: { op: 'min', value: number },
  most: { op: 'max', value: number },
  opened: { op: 'first', value },
  latest: { op: 'last', value },
  kinds: { op: 'count_distinct', value },
  all: { op: 'collect', value },
  merged: { op: 'merge', value: '{"v": event.data.v, event.data.name: event.data.n}' },
  largest: { op: 'top', n: 3, by: number, value },
  spread: { op: 'quantile', p: [0, 0.5, 0.99], value: number },
};

describe("a projection's view", () => {
  it('has every fold operation', () => {
    expect(new Set(Object.values(every).map(({ op }) => op))).toEqual(new Set(Object.keys(foldOperations)));
  });

  it('has the types of the fields', async () => {
    const generation = await projected(every);
    const columns = await answered<{ name: string; type: string }>(generation, 'DESCRIBE TABLE projection_p');
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'key String',
      'n UInt64',
      'total Nullable(Decimal(76, 18))',
      'total_text String',
      'mean Nullable(Float64)',
      'least Nullable(String)',
      'least_number Nullable(Float64)',
      'most Nullable(String)',
      'most_number Nullable(Float64)',
      'opened Nullable(String)',
      'opened_number Nullable(Float64)',
      'latest Nullable(String)',
      'latest_number Nullable(Float64)',
      'kinds UInt64',
      'all Array(String)',
      'merged String',
      'largest String',
      'spread String',
      'events UInt64',
      `updated_at DateTime64(6, 'UTC')`,
      'state String',
    ]);
  });

  it('has the values of the API for any events, in any partitions', async () => {
    const values = fc.oneof(
      numberTexts,
      fc.string({ unit: 'binary', maxLength: 6 }).map((one) => JSON.stringify(one)),
      fc.constantFrom('"\\ud800"', '"\\t\\n\\r"', 'true', 'null', '""', '"null"', '"NaN"'),
      fc.json({ maxDepth: 2 }),
    );
    const events = fc.record({
      stream: fc.constantFrom('a', 'b'),
      partition: fc.nat(2),
      key: fc.constantFrom('', 'k', "it's", '🎉', 'a\tb\n', '\\'),
      data: fc
        .tuple(values, numberTexts, fc.constantFrom('x', 'v', 'é', '\\u0000', '\\ud800'))
        .map(([v, n, name]) => `{"v":${v},"n":${n},"name":"${name}"}`),
    });
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(events, { minLength: 1, maxLength: 30 }), async (list) => {
        const generation = await projected(every);
        await folded(generation, list.slice(0, list.length >> 1));
        rows += await expectSame(generation);
        await folded(generation, list);
        rows += await expectSame(generation);
      }),
      { numRuns: 25 },
    );
    expect(rows).toBeGreaterThan(50);
  });

  it('shows a sum that its decimal type would round as NULL, and always as text', async () => {
    const generation = await projected({ total: { op: 'sum', value: number } });
    const zeros = (count: number) => '0'.repeat(count);
    const nines = '9'.repeat(38);
    const sums: [text: string, exact: string | null][] = [
      ['0', '0'],
      ['25000000000000000000', '25000000000000000000'],
      ['0.0000001', '0.0000001'],
      [`-${nines}.${nines.slice(20)}`, `-${nines}.${nines.slice(20)}`],
      ['1e+37', `1${zeros(37)}`],
      ['123e+35', `123${zeros(35)}`],
      ['-1e-18', `-0.${zeros(17)}1`],
      ['123e-18', `0.${zeros(15)}123`],
      ['1e+38', `1${zeros(38)}`],
      ['7e-21', null],
      ['123e+36', null],
      ['-1e+39', null],
      ['12e+99', null],
      ['1e-19', null],
      [`0.1${zeros(17)}1`, null],
      [`1${nines}`, null],
      ['1e+300', null],
    ];
    await folded(
      generation,
      sums.map(([n], i) => ({ stream: 'a', partition: 0, key: `${100 + i}`, data: `{"n":${n}}` })),
    );
    const rows = await answered<{ t: string | null; total_text: string }>(
      generation,
      'SELECT toString(total) AS t, total_text FROM projection_p ORDER BY key',
    );
    expect(rows.map(({ t }) => t)).toEqual(sums.map(([, exact]) => exact));
    await expectSame(generation);
  });

  it('has columns of sums that can be added, divided and multiplied', async () => {
    const generation = await projected({ total: { op: 'sum', value: number } });
    const sums = ['7', '0.07', '-350.5', '90000000000000000000'];
    const rows = sums.map((n, i) => ({ stream: 'a', partition: 0, key: `${100 + i}`, data: `{"n":${n}}` }));
    await folded(generation, rows);
    const [found] = await answered(
      generation,
      `SELECT groupArray(toFloat64(total / total)) AS ones, groupArray(toFloat64(total * total)) AS squares,
        toString(sum(total)) AS sum, toFloat64(avg(total)) AS mean FROM (SELECT * FROM projection_p ORDER BY key)`,
    );
    expect(found).toEqual({
      ...{ ones: [1, 1, 1, 1], squares: [49, 0.0049, 122850.25, 8.1e39] },
      ...{ sum: '89999999999999999656.57', mean: 2.25e19 },
    });
  });

  it('keeps its own columns when a field has the name of one', async () => {
    const names = [
      'key',
      'field_key',
      'state',
      'events',
      'updated_at',
      'owner',
      'kind',
      'position',
      'lines',
      'total',
      'total_text',
    ];
    const generation = await projected(
      Object.fromEntries(
        names.map((name) => [name, name === 'total' ? { op: 'sum', value: number } : { op: 'count' }]),
      ),
    );
    await folded(generation, [{ stream: 'a', partition: 0, key: 'k', data: '{"n":1.5}' }]);
    const [row] = await answered<Record<string, unknown>>(
      generation,
      `SELECT key, field_key, field_field_key, field_state, events, field_events, owner, kind, position, lines,
        toString(total) AS sum, total_text, total_text_, state FROM projection_p WHERE key = 'k' AND position = 1`,
    );
    expect(row).toEqual({
      ...{ key: 'k', field_key: 1, field_field_key: 1, field_state: 1, events: 1, field_events: 1 },
      ...{
        owner: 1,
        kind: 1,
        position: 1,
        lines: 1,
        sum: '1.5',
        total_text: 1,
        total_text_: '1.5',
      },
      state: (await states(generation)).get('k')?.state,
    });
    expect(parseExactJson(row?.['state'] as string)).toMatchObject({ total: 1.5 });
  });
});
