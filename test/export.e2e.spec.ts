import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshStream, queryEvents, waitFor, writeEvent } from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'tributary-export-'));
afterAll(() => rmSync(folder, { recursive: true }));

const stream = freshStream('exported');
const type = 'order.placed';
const samples = [
  { amount: 7, at: '2026-11-21T04:00:00.5Z', paid: true, note: '=1+1', nested: { a: [1, 'x'] } },
  { amount: 2 ** 53 + 2, at: null, paid: null, note: 'ä\n"\'\t', nested: null },
  { note: '' },
];

const exported = async (query: string) => {
  const reply = await fetch(new URL(`/api/v1/events/export?stream=${stream}&${query}`, system().urls.core));
  const bytes = Buffer.from(await reply.arrayBuffer());
  expect(reply.status, bytes.toString().slice(0, 500)).toBe(200);
  return { bytes, headers: reply.headers };
};

beforeAll(async () => {
  const { core } = system();
  await core.post('/api/v1/streams', { stream, partitions: 1 });
  const properties = {
    ...{ amount: { type: 'integer' }, at: { type: ['string', 'null'], format: 'date-time' } },
    ...{ paid: { type: ['boolean', 'null'] }, note: { type: 'string' }, nested: {} },
  };
  // Members may be null although the schema says integer: the column is NULL then.
  const schema = { schema: { type: 'object', properties } };
  const defined = await core.post('/api/v1/schemas', { stream, event_type: type, ...schema });
  expect(defined.status, defined.text).toBe(201);
  const written = [];
  for (const [i, data] of samples.entries())
    written.push(await writeEvent(core, { stream, event_type: type, entity_id: `o-${i}`, data }));
  written.push(
    await writeEvent(core, { stream, event_type: 'order.seen', data: { amount: 'not a number' } }),
  );
  await queryEvents(core, { stream, limit: '1' }, waitFor(written));
});

describe('an export of stored events', () => {
  it('as NDJSON has the same lines as a query', async () => {
    const url = new URL(`/api/v1/events/query?stream=${stream}`, system().urls.core);
    const query = await fetch(url, { headers: { accept: 'application/x-ndjson' } });
    expect((await exported('format=ndjson')).bytes.toString()).toBe(await query.text());
  });

  it('as CSV is exact, or has escaped formulas', async () => {
    expect((await exported('format=csv')).bytes.toString()).toContain('""note"":""=1+1""');
    expect((await exported('format=csv&csv_safe=true')).bytes.toString()).toContain('""note"":""=1+1""');
  });

  it.each(['parquet', 'arrow'])('as %s has a length and a valid end', async (format) => {
    const { bytes, headers } = await exported(`format=${format}`);
    expect(headers.get('content-length')).toBe(String(bytes.length));
    expect(bytes.subarray(-6).toString('latin1')).toMatch(format === 'parquet' ? /PAR1$/ : /^ARROW1$/);
  });

  it('without events is a valid file', async () => {
    const { bytes } = await exported('format=parquet&event_type=nothing.like.it');
    expect(bytes.subarray(-4).toString('latin1')).toBe('PAR1');
  });
});

const python = process.env.TEST_PYTHON;

describe.skipIf(!python)('pyarrow and polars', () => {
  it.each(['parquet', 'arrow'])('read every row of %s like a query', async (format) => {
    const lines = (await exported(`event_type=${type}`)).bytes.toString().trimEnd().split('\n');
    const file = join(folder, `events.${format}`);
    writeFileSync(file, (await exported(`event_type=${type}&format=${format}`)).bytes);
    const script = fileURLToPath(new URL('../../test/analysts/read_export.py', import.meta.url));
    const { stdout } = await run(python ?? '', [script, format, file]);
    const read = JSON.parse(stdout) as { pyarrow: unknown[]; polars: unknown[] };
    const expected = lines.map((line) => rowOf(JSON.parse(line) as Event));
    expect(read.pyarrow).toEqual(expected);
    expect(read.polars).toEqual(expected);
  });
});

interface Event extends Record<string, unknown> {
  timestamp: string;
  ingested_at: string;
  data: (typeof samples)[number];
  metadata: object;
}

/** Returns an event in the form of a row that the script prints: times in microseconds, parsed JSON. */
function rowOf(event: Event): object {
  const { amount = null, at = null, paid = null, note = null, nested = null } = event.data;
  return {
    ...event,
    ...{ timestamp: micros(event.timestamp), ingested_at: micros(event.ingested_at) },
    ...{ amount, at: at === null ? null : micros(at), paid, note, nested },
  };
}

function micros(time: string): number {
  const [, fraction = ''] = /\.(\d+)Z$/.exec(time) ?? [];
  const seconds = Date.parse(time.replace(/\.\d+Z$/, 'Z')) / 1000;
  return seconds * 1_000_000 + Number(fraction.padEnd(6, '0'));
}
