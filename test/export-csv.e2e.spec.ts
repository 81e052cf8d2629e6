import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostileTexts } from '#testkit';
import { freshStream, queryEvents, waitFor, type BatchAnswer, type ReadEvent } from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();
const run = promisify(execFile);
const python = process.env.TEST_PYTHON;
const folder = mkdtempSync(join(tmpdir(), 'tributary-csv-'));
afterAll(() => rmSync(folder, { recursive: true }));

const stream = freshStream('csv');

/** Texts that end a CSV cell too early, or that a spreadsheet runs as a formula. */
const cells = [
  ...[
    '"',
    '""',
    '","',
    "'",
    ',',
    ',,',
    ';',
    '|',
    '\\"',
    '\\',
    '\\N',
    'NULL',
    'NaN',
    'true',
    '007',
    '1e5',
    '#',
  ],
  ...['=1+1', '+1', '-1', '@SUM(A1)', '＝1+1', ' =1+1', '"=1+1', "'=1+1", '\u200b=1+1', ';=1+1', 'a|-1'],
  '=HYPERLINK("http://127.0.0.1/?"&A1,"x")',
  "=cmd|'/c calc'!A1",
];

/** An entity id has neither control characters nor more than 256 of them. */
const entities = [...cells, ...hostileTexts].filter(
  (text) => text !== '' && text.length <= 256 && !/[\p{Cc}\u2028\u2029]/u.test(text),
);

/** JSON texts; white space between their tokens is part of the text. */
const data = [
  '{}',
  '{"amount":123456789012345678901234567890,"least":-9223372036854775809,"e":1e400,"exact":0.10}',
  '{\n  "lines": [\n    1,\n    2\n  ]\n}',
  '{\r\n\t"crlf": "\\r\\n"\r\n}',
  '{ "a" : "\\u0000", "half" : "\\ud800", "ž" : "😀" }',
  '{"empty":"","quotes":"\\"\\"","comma":",","null":null}',
  ...[...cells, ...hostileTexts].map((note) => JSON.stringify({ note })),
  ...[...cells, ...hostileTexts].map((note) => JSON.stringify({ [note]: [note] }, null, '\t')),
];

const sent = data.map((text, n) => ({
  text,
  entity: n % 7 === 0 ? null : entities[n % entities.length]!,
  metadata: n % 3 === 0 ? '{}' : '{"m":"x,\\"y\\"","\\n":\n1}',
}));

type Row = Record<string, string>;

/** The rows that the CSV export must have: what was sent, and what a query returns for it. */
let expected: Row[];

beforeAll(async () => {
  const { core } = system();
  await core.post('/api/v1/streams', { stream, partitions: 1 });
  const bodies = sent.map(
    ({ text, entity, metadata }, n) =>
      `{"stream":"${stream}","event_type":"t","timestamp":"2026-11-21T04:00:00.${String(n).padStart(6, '0')}Z",` +
      `"entity_id":${JSON.stringify(entity)},"data":${text},"metadata":${metadata}}`,
  );
  const answer = await core.post('/api/v1/events/batch', `{"events":[${bodies.join()}]}`);
  expect(answer.status, answer.text).toBe(201);
  const written = answer.json<BatchAnswer>().events;
  const asked = { stream, limit: '10000', order: 'asc' };
  const { events } = await queryEvents(core, asked, waitFor(written, stream));
  expected = events.map((event, n) => rowOf(event, sent[n]!));
});

function rowOf(event: ReadEvent, { text, entity, metadata }: (typeof sent)[number]): Row {
  expect(event.entity_id).toBe(entity);
  const cell = (value: string | number | null) => String(value ?? '');
  const { event_id, timestamp, ingested_at, version, schema_version, partition, offset } = event;
  return {
    ...{ event_id, stream, event_type: 't', entity_id: cell(entity), version: cell(version) },
    ...{ timestamp, ingested_at, schema_version: cell(schema_version) },
    ...{ partition: cell(partition), offset: cell(offset), metadata, data: text },
  };
}

async function exported(query: string): Promise<string> {
  const answer = await fetch(
    new URL(`/api/v1/events/export?stream=${stream}&format=csv${query}`, system().urls.core),
  );
  expect(answer.status).toBe(200);
  return answer.text();
}

/** Returns the rows that each CSV reader of Python finds. */
async function readersOf(csv: string): Promise<[reader: string, rows: Row[]][]> {
  const file = join(folder, 'events.csv');
  writeFileSync(file, csv);
  const script = fileURLToPath(new URL('../../test/analysts/read_csv.py', import.meta.url));
  const { stdout } = await run(python ?? '', [script, file], { maxBuffer: 64 * 1024 ** 2 });
  return Object.entries(JSON.parse(stdout) as Record<string, Row[]>);
}

/** Matches a cell that a spreadsheet could run: an operator that only white space, quotes or a separator precede. */
const formula = /(^|[;|\t\r\n])[\s"\u200b]*[=+\-@＝]/;

const withoutApostrophes = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([column, text]) => [column, text.replaceAll("'", '')]));

describe.skipIf(!python)('the csv module, pandas and polars', () => {
  it('read each cell of a CSV export as it was sent', async () => {
    for (const [reader, rows] of await readersOf(await exported(''))) {
      expect(rows.length, reader).toBe(expected.length);
      for (const [n, row] of rows.entries()) expect(row, `${reader}, row ${n}`).toEqual(expected[n]);
    }
  });

  it('find no formula in a CSV export with csv_safe, and apostrophes as the only difference', async () => {
    const formulas = (rows: readonly Row[]) =>
      rows.flatMap((row) => Object.values(row).filter((text) => formula.test(text)));
    expect(formulas(expected).length).toBeGreaterThan(10);
    for (const [reader, rows] of await readersOf(await exported('&csv_safe=true'))) {
      expect(formulas(rows), reader).toEqual([]);
      expect(rows.map(withoutApostrophes), reader).toEqual(expected.map(withoutApostrophes));
    }
  });
});
