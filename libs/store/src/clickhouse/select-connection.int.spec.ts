import { randomUUID } from 'node:crypto';
import { TupleParam } from '@clickhouse/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SelectConnection } from './select-connection.js';

let connection: SelectConnection;
beforeAll(() => {
  connection = new SelectConnection({
    url: process.env.TEST_CLICKHOUSE_URL ?? '',
    user: 'default',
    password: process.env.TEST_CLICKHOUSE_PASSWORD ?? '',
    database: 'default',
    maxConnections: 2,
  });
});
afterAll(() => connection.close());

const forever = new AbortController().signal;
const settings = { output_format_json_quote_64bit_integers: 0 } as const;
const rows = (query: string, params: Record<string, unknown> = {}) =>
  connection.rows<unknown[]>({ query, queryId: randomUUID(), params, settings }, forever);

describe('a parameter of a SELECT', () => {
  it('arrives unchanged, alone, in an array, a tuple and a map, whatever characters it has', async () => {
    const special = fc.string({
      unit: fc.constantFrom('\t', '\n', '\r', "'", '\\', '"', '`', '{', 'N', 'ö', '😀'),
    });
    await fc.assert(
      fc.asyncProperty(special, async (value) => {
        const found = await rows(
          'SELECT {one:String}, {many:Array(String)}, {pairs:Array(Tuple(String, UInt64))}, {byKey:Map(UInt16, String)}[3]',
          {
            one: value,
            many: [value, 'x'],
            pairs: [new TupleParam([value, 7])],
            byKey: new Map([[3, value]]),
          },
        );
        expect(found).toEqual([[value, [value, 'x'], [[value, 7]], value]]);
      }),
      { numRuns: 40 },
    );
  });

  it('may be longer than a URL', async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `id's ${index}\n`);
    expect(await rows('SELECT length({many:Array(String)}), {many:Array(String)}[-1]', { many })).toEqual([
      [5_000, many.at(-1)],
    ]);
  });
});

describe('a SELECT', () => {
  it('that fails after its first rows fails with the error of ClickHouse', async () => {
    const failing = "SELECT number, throwIf(number = 199999, 'too far') FROM numbers(200000)";
    await expect(rows(failing)).rejects.toMatchObject({ code: '395' });
  });

  it('returns no rows for an empty answer', async () => {
    expect(await rows('SELECT 1 WHERE 0')).toEqual([]);
  });
});
