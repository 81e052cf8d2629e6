import { isDeepStrictEqual } from 'node:util';
import { tableFromIPC, DataType, type Vector } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, it } from 'vitest';
import { hostileTexts, membersOf } from '#testkit';
import { freshStream, queryEvents, waitFor, type BatchAnswer } from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();
const stream = freshStream('files');
const type = 'order.placed';
const batches = 8;
const batchSize = 500;

/** Values of the typed columns as text; times in microseconds since 1970. */
type Typed = Record<keyof typeof properties, string | boolean | null>;

const properties = {
  amount: { type: 'integer' },
  price: { type: ['number', 'null'] },
  at: { type: 'string', format: 'date-time' },
  paid: { type: 'boolean' },
  note: { type: 'string' },
  nested: {},
  // An event has a column of this name, so the member's column is `data_stream`.
  stream: { type: 'string' },
};

const none: Typed = {
  amount: null,
  price: null,
  at: null,
  paid: null,
  note: null,
  nested: null,
  stream: null,
};

/** The `TextDecoder` of both readers drops a byte-order mark at the beginning of a text, so none is there. */
const readableTexts = hostileTexts.map((text) => text.replace(/^\ufeff/, '-\ufeff'));

/** JSON texts of `data`, with the values of the typed columns. */
const odd: [string, Partial<Typed>][] = [
  ['{}', {}],
  [
    '{"amount":9223372036854775807,"price":0.1,"at":"2026-11-21T04:00:00.123456Z","paid":true,"note":"a\\"b","nested":{"a":[1, null]},"stream":"own"}',
    {
      ...{ amount: '9223372036854775807', price: '0.1', at: '1795233600123456', paid: true },
      ...{ note: 'a"b', nested: '{"a":[1,null]}', stream: 'own' },
    },
  ],
  ['{"amount":-9223372036854775808,"paid":false}', { amount: '-9223372036854775808', paid: false }],
  ['{"amount":9223372036854775808,"note":"2^63"}', { note: '2^63' }],
  ['{"amount":123456789012345678901234567890,"note":"long"}', { note: 'long' }],
  ['{"price":1e400,"note":"beyond a double"}', { price: '1.7976931348623157e+308', note: 'beyond a double' }],
  ['{"price":-0.0,"amount":0}', { price: '0', amount: '0' }],
  [
    '{"amount":null,"price":null,"at":null,"paid":null,"note":null,"nested":null,"stream":null}',
    { nested: 'null' },
  ],
  ['{"amount":"7","price":"7","at":"yesterday","paid":1,"nested":"text"}', { nested: '"text"' }],
  ['{"amount":7.5,"price":true,"at":5,"paid":"true","note":7}', { note: '7' }],
  ['{"amount":7.0,"price":7}', { amount: '7', price: '7' }],
  ['{ "amount" : 1 ,\t"note":"spaces" }', { amount: '1', note: 'spaces' }],
  ['{"at":"2026-11-21T05:00:00.000001+01:00"}', { at: '1795233600000001' }],
  ['{"amount":2,"note":"\\ud800"}', { amount: '2', note: '\ufffd' }],
  ...readableTexts.map((note): [string, Partial<Typed>] => [
    JSON.stringify({ amount: 3, note }),
    { amount: '3', note },
  ]),
];

type Row = Record<string, unknown>;

/** The first and the last time that an event may have, and the last microsecond before 1970, whose number is -1. */
const extremeTimes = [
  '1900-01-01T00:00:00.000000Z',
  '1969-12-31T23:59:59.999999Z',
  '2199-12-31T23:59:59.999999Z',
];

/** The events as they were sent, in the order of their timestamps. */
const sent = Array.from({ length: batches * batchSize }, (_, n) => {
  const [data, typed] = odd[n % odd.length]!;
  const second = String(n % 60).padStart(2, '0');
  const timestamp = extremeTimes[n] ?? `2026-03-01T00:00:${second}.${String(n).padStart(6, '0')}Z`;
  const entity = n % 3 === 0 ? null : hostileEntity(n);
  return { data, typed, timestamp, entity, metadata: n % 5 === 0 ? '{}' : `{"n":0.${n}0,"ž":"😀"}` };
}).sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));

function hostileEntity(n: number): string {
  return `e-${n % 100}-ü😀`;
}

const bodyOf = ({ data, timestamp, entity, metadata }: (typeof sent)[number]) =>
  `{"stream":"${stream}","event_type":"${type}","entity_id":${JSON.stringify(entity)},` +
  `"timestamp":"${timestamp}","data":${data},"metadata":${metadata}}`;

const exported = async (format: string): Promise<Uint8Array> => {
  const query = new URLSearchParams({ stream, event_type: type, format }).toString();
  const answer = await fetch(new URL(`/api/v1/events/export?${query}`, system().urls.core));
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(answer.status, Buffer.from(bytes).toString('utf8', 0, 500)).toBe(200);
  return bytes;
};

/** The rows that the NDJSON export and the sent events give. */
let expected: Row[];

beforeAll(async () => {
  const { core } = system();
  await core.post('/api/v1/streams', { stream, partitions: 3 });
  const schema = { schema: { type: 'object', properties }, mode: 'off' };
  const defined = await core.post('/api/v1/schemas', { stream, event_type: type, ...schema });
  expect(defined.status, defined.text).toBe(201);
  const written: BatchAnswer['events'] = [];
  for (let n = 0; n < batches; n++) {
    const bodies = sent.slice(n * batchSize, (n + 1) * batchSize).map(bodyOf);
    const answer = await core.post('/api/v1/events/batch', `{"events":[${bodies.join()}]}`);
    expect(answer.status, answer.text).toBe(201);
    written.push(...answer.json<BatchAnswer>().events);
  }
  await queryEvents(core, { stream, limit: '1' }, waitFor(written, stream));
  const lines = Buffer.from(await exported('ndjson'))
    .toString()
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(sent.length);
  expected = lines.map((line, n) => rowOf(membersOf(line), sent[n]!));
});

/** Returns the row of a file for a line of NDJSON: JSON members and numbers as text, times in microseconds. */
function rowOf(
  line: Map<string, string>,
  { data, metadata, timestamp, entity, typed }: (typeof sent)[number],
): Row {
  const row: Row = Object.fromEntries([...line].map(([name, text]) => [name, plain(JSON.parse(text))]));
  expect(row).toMatchObject({ timestamp, entity_id: entity });
  expect([line.get('data'), line.get('metadata')]).toEqual([data, metadata]);
  const { stream: own, ...columns } = { ...none, ...typed };
  const times = { timestamp: microseconds(timestamp), ingested_at: microseconds(String(row.ingested_at)) };
  return { ...row, data, metadata, ...times, ...columns, data_stream: own };
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' || typeof value === 'number' ? String(value) : value;
}

function microseconds(time: string): string {
  const [, second = '', fraction = ''] = /^(.*)\.(\d{6})Z$/.exec(time) ?? [];
  return String(BigInt(Date.parse(`${second}Z`)) * 1000n + BigInt(fraction));
}

async function parquetRows(bytes: Uint8Array): Promise<Row[]> {
  const file = Uint8Array.from(bytes).buffer;
  const parsers = { timestampFromMicroseconds: (time: bigint) => time };
  const rows = await parquetReadObjects({ file, parsers });
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
  );
}

function arrowRows(bytes: Uint8Array): Row[] {
  const table = tableFromIPC(bytes);
  const columns = table.schema.fields.map(({ name }) => [name, arrowValues(table.getChild(name)!)] as const);
  return Array.from({ length: table.numRows }, (_, n) =>
    Object.fromEntries(columns.map(([name, values]) => [name, plain(values[n])])),
  );
}

/** `Vector.get` rounds times to milliseconds, so times come from the buffer of each record batch. */
function arrowValues(column: Vector): unknown[] {
  if (!DataType.isTimestamp(column.type)) return [...column];
  return column.data.flatMap((batch) =>
    Array.from({ length: batch.length }, (_, n) =>
      batch.getValid(n) ? (batch.values as BigInt64Array)[n] : null,
    ),
  );
}

describe('an export of several thousand events with odd values', () => {
  it.each([
    ['parquet', parquetRows],
    ['arrow', arrowRows],
  ] as const)(
    'as %s has the rows of the NDJSON export and the values that were sent',
    async (format, rowsOf) => {
      const rows = await rowsOf(await exported(format));
      expect(rows).toHaveLength(expected.length);
      const different = rows.flatMap((row, n) =>
        isDeepStrictEqual(row, expected[n]) ? [] : [{ row, expected: expected[n] }],
      );
      expect(different.slice(0, 5)).toEqual([]);
    },
  );

  it('as csv has the times and the data that were sent', async () => {
    const [header, ...lines] = Buffer.from(await exported('csv'))
      .toString()
      .trimEnd()
      .split('\r\n');
    expect(header).toContain('timestamp');
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const different = lines.filter((line, n) => {
      const { timestamp, data } = sent[n]!;
      return !line.includes(timestamp) || !(line.includes(cell(data)) || line.includes(data));
    });
    expect([lines.length, different.slice(0, 3)]).toEqual([sent.length, []]);
  });

  it.each(['ndjson', 'csv', 'parquet', 'arrow'])('as %s contains the extreme times', async (format) => {
    const bytes = await exported(format);
    const read = { parquet: parquetRows, arrow: arrowRows }[format];
    if (!read) {
      for (const time of extremeTimes) expect(Buffer.from(bytes).toString()).toContain(time);
      return;
    }
    const times = (await read(bytes)).map((row) => row.timestamp);
    expect([times[0], times[1], times.at(-1)]).toEqual(extremeTimes.map(microseconds));
    expect(times[1]).toBe('-1');
  });
});
