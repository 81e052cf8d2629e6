import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshAnalystDatabase } from '#testkit';
import { parseTime } from '#json';
import { AnalystSqlRunner } from './analyst-sql-runner.js';
import { rowBatchesOf } from '../../../core/store/row-batch/row-batches-of.fixture.js';
import type { EventRow } from '#store';
import { openTestStore, type TestStore } from '../../../core/store/clickhouse/test-store.js';

const levels = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** What stands between `currency` and `amount` in the documents, by what is odd about it. */
const odd: Readonly<Record<string, string>> = {
  nothing: '"odd":1',
  'an integer beyond 64 bits': '"odd":25000000000000000000',
  'a negative integer beyond 64 bits': '"odd":-9223372036854775809',
  'such an integer in a list in an object': '"odd":{"a":[1,{"b":25000000000000000000}]}',
  'an integer of 400 digits': `"odd":${'9'.repeat(400)}`,
  'a number beyond a double': '"odd":1e400',
  'a negative number beyond a double': '"odd":-1e400',
  'a number too small for a double': '"odd":1e-400',
  'a number of 400 digits': `"odd":0.${'1'.repeat(400)}`,
  'an unpaired high surrogate': String.raw`"odd":"\ud800"`,
  'an unpaired low surrogate': String.raw`"odd":"x\uDC00y"`,
  'an unpaired surrogate in a name': String.raw`"\ud800":1`,
  'an unpaired surrogate beside a large integer': String.raw`"odd":["\ud83d",25000000000000000000,1e400]`,
  'minus zero': '"odd":-0',
  'the character 0': String.raw`"odd":"\u0000"`,
  'digits in a text': String.raw`"odd":"\",25000000000000000000,1e400","odder":25000000000000000000`,
  '1 000 levels': `"odd":${levels(999)}`,
  '1 000 levels and a large integer': `"odd":${levels(999)},"large":25000000000000000000`,
  'a name that occurs twice': '"odd":1,"odd":{"a":2}',
  'a name that occurs twice further down': '"odd":[{"a":1,"a":2}],"large":25000000000000000000',
  'a path that has two spellings': '"odd.a":1,"odd":{"a":2}',
  'the name __proto__': '"__proto__":{"constructor":1}',
  'empty names': '"":{"":25000000000000000000}',
};
const documents = Object.values(odd).map((member) => `{"currency":"EUR",${member},"amount":5}`);

/** What analysts write, with the answer for each document. */
const expressions: readonly (readonly [expression: string, answer: unknown])[] = [
  ["JSONExtractString(COLUMN, 'currency')", 'EUR'],
  ["JSONExtractInt(COLUMN, 'amount')", 5],
  ["JSONExtractUInt(COLUMN, 'amount')", 5],
  ["JSONExtractFloat(COLUMN, 'amount')", 5],
  ["JSONExtractRaw(COLUMN, 'amount')", '5'],
  ["JSONExtract(COLUMN, 'amount', 'Nullable(UInt8)')", 5],
  ["JSONExtract(COLUMN, 'Tuple(currency String, amount UInt8)').amount", 5],
  ["JSONExtractStringCaseInsensitive(COLUMN, 'CURRENCY')", 'EUR'],
  ["has(JSONExtractKeys(COLUMN), 'currency')", 1],
  ["has(JSONExtractKeysAndValuesRaw(COLUMN), ('amount', '5'))", 1],
  ["JSON_VALUE(COLUMN, '$.currency')", 'EUR'],
  ["JSON_QUERY(COLUMN, '$.currency')", '["EUR"]'],
  ["JSON_EXISTS(COLUMN, '$.amount')", 1],
  ["JSONHas(COLUMN, 'amount')", 1],
  ["JSONType(COLUMN, 'amount')", 'Int64'],
  ['JSONLength(COLUMN) > 2', 1],
  ['isValidJSON(COLUMN)', 1],
  ["simpleJSONExtractString(COLUMN, 'currency')", 'EUR'],
  ["simpleJSONExtractInt(COLUMN, 'amount')", 5],
  ["visitParamExtractString(COLUMN, 'currency')", 'EUR'],
  ["CAST(COLUMN, 'JSON').currency::String", 'EUR'],
  ['COLUMN::JSON.amount::Int64', 5],
  ["has(JSONAllPaths(COLUMN::JSON), 'currency')", 1],
];

const large = '{"currency":"EUR","amount":5,"wei":25000000000000000000}';

/** Returns metadata like `data`: the same text if its members have no members, as metadata requires. */
const metadataBeside = (data: string): string => (/[[{]/.test(data.slice(1)) ? large : data);

let given: TestStore;
let sql: AnalystSqlRunner;

beforeAll(async () => {
  given = await openTestStore({ analysts: await freshAnalystDatabase() });
  sql = new AnalystSqlRunner(given.options, { user: given.analysts });
  const event = {
    partition: 0,
    event_type: 'order.placed',
    entity_id: null,
    version: null,
    timestamp: parseTime('2026-11-21T04:00:00Z') as number,
    ingested_at: parseTime('2026-11-21T04:00:01Z') as number,
    schema_version: null,
  };
  const tenRows = Array.from({ length: 10 }, (_, n) => (n % 2 ? large : '{"currency":"EUR","amount":5}'));
  const rowsOf = (stream: string, texts: readonly string[]): EventRow[] =>
    texts.map((data, offset) => ({
      ...{ ...event, stream, offset, event_id: randomUUID(), data },
      metadata: metadataBeside(data),
    }));
  const rows = [...rowsOf('odd#1', documents), ...rowsOf('sums#1', tenRows)];
  await given.store.writer.appendRowBatches(rowBatchesOf(rows), 'readable');
  const columns = [{ member: 'amount', type: 'integer' }] as const;
  const view = { view: 'odd__order_placed', stream: 'odd#1', eventType: 'order.placed', columns };
  await sql.publish({ eventTypes: [view], projections: [] });
});
afterAll(async () => {
  await given.engine.command({ query: `DROP DATABASE ${sql.database} SYNC` });
  await sql.close();
  await given.close();
});

/** Runs a statement like an analyst; returns its rows and its warning. */
async function ask(statement: string): Promise<{ rows: unknown[][]; warning: string | undefined }> {
  const asked = {
    ...{ text: statement, params: new Map<string, string>(), format: 'JSONCompactEachRow' },
    ...{ queryId: randomUUID(), seconds: undefined, generations: [], acceptEncoding: undefined },
    permitted: { access: { patterns: undefined, reserved: false }, hidden: [] },
    views: ['events', 'odd__order_placed'],
    transport: {},
  };
  const never = new AbortController().signal;
  const checked = await sql.check(asked, never);
  const { body } = await sql.run(asked, checked, never);
  const lines = (await text(body)).split('\n').filter(Boolean);
  return { rows: lines.map((line) => JSON.parse(line) as unknown[]), warning: checked.warning };
}

describe.each(['readable_data', 'readable_metadata'])('%s', (column) => {
  const named = Object.keys(odd);

  it.each(expressions)('has every member for %s, whatever is beside it', async (expression, answer) => {
    const read = expression.replaceAll('COLUMN', column);
    const { rows } = await ask(`SELECT offset, ${read} FROM events WHERE stream = 'odd' ORDER BY offset`);
    const found = Object.fromEntries(rows.map(([offset, value]) => [named[Number(offset)]!, value]));
    expect(found).toEqual(Object.fromEntries(named.map((name) => [name, answer])));
  });

  it.each(['events', 'odd__order_placed'])('is a column of the view %s', async (view) => {
    const statement = `SELECT countIf(JSONExtractInt(${column}, 'amount') = 5) FROM ${view} WHERE stream = 'odd'`;
    expect((await ask(statement)).rows).toEqual([[documents.length]]);
  });

  it('gives the whole sum if some rows have a large integer', async () => {
    const sum = `sum(JSONExtractFloat(${column}, 'amount'))`;
    const of = `countIf(JSONExtractString(${column}, 'currency') = 'EUR')`;
    expect((await ask(`SELECT ${sum}, ${of} FROM events WHERE stream = 'sums'`)).rows).toEqual([[50, 10]]);
  });
});

describe('the columns of the exact text', () => {
  it('have each text as it was written', async () => {
    const { rows } = await ask("SELECT data, metadata FROM events WHERE stream = 'odd' ORDER BY offset");
    expect(rows).toEqual(documents.map((document) => [document, metadataBeside(document)]));
  });
});

describe('the repair of the texts', () => {
  const explained = async (statement: string) => {
    const answer = await given.engine.query({
      query: `EXPLAIN actions = 1 ${statement}`,
      format: 'TabSeparated',
    });
    return answer.text();
  };

  it.each(['events', 'odd__order_placed'])(
    'is computed for no statement that does not read it in %s',
    async (view) => {
      const table = `${sql.database}.${view}`;
      expect(await explained(`SELECT readable_metadata FROM ${table}`)).toContain('isValidJSON');
      const plain = `SELECT stream, count(), sum(JSONExtractInt(data, 'n')), any(metadata) FROM ${table} GROUP BY stream`;
      expect(await explained(plain)).not.toContain('isValidJSON');
    },
  );
});

describe('a statement that gives the exact text to a JSON function', () => {
  it.each([
    ["SELECT sum(JSONExtractInt(data, 'amount')) FROM events", 'JSONExtractInt', 'data'],
    ["SELECT count() FROM events WHERE JSON_VALUE(metadata, '$.currency') = 'EUR'", 'JSON_VALUE', 'metadata'],
    ["SELECT 1 FROM events AS e WHERE JSONHas(`e`.`data`, 'amount')", 'JSONHas', 'data'],
    [
      "SELECT JSONExtractString(events.data, 'currency') AS currency FROM events",
      'JSONExtractString',
      'data',
    ],
    ['SELECT count() FROM odd__order_placed GROUP BY JSONLength(data)', 'JSONLength', 'data'],
    ['WITH metadata AS m SELECT JSONExtractKeys(m) FROM events', 'JSONExtractKeys', 'metadata'],
    ["SELECT JSONExtractRaw(d, 'amount') FROM (SELECT data AS d FROM events)", 'JSONExtractRaw', 'data'],
    ["WITH t AS (SELECT data FROM events) SELECT JSONType(data, 'amount') FROM t", 'JSONType', 'data'],
  ])('has a warning: %s', async (statement, name, column) => {
    const { warning } = await ask(statement);
    expect(warning).toMatch(new RegExp(`^${name} .*: give it readable_${column} instead of ${column}$`));
  });

  it.each([
    'SELECT data, metadata, length(data) FROM events',
    "SELECT JSONExtractInt(readable_data, 'amount') FROM events",
    "SELECT JSONExtractInt(data, 'amount') FROM (SELECT readable_data AS data FROM events)",
    "SELECT simpleJSONExtractInt(data, 'amount'), isValidJSON(metadata) FROM events",
    `SELECT JSONExtractInt('{"data":1}', 'data')`,
    'SHOW TABLES',
  ])('is not this one, which has no warning: %s', async (statement) => {
    expect((await ask(statement)).warning).toBeUndefined();
  });
});
