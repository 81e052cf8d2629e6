import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestStore, type TestStore } from '../test-store.js';
import { TupleParam } from './sql-params.js';

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());

describe('a list that is longer than a field of a form may be', () => {
  const count = 20_000;
  const texts = Array.from({ length: count }, (_, i) => `it's "${i}" \\ \n\t\0 ž🐎`);
  const lists: [what: string, type: string, list: unknown[]][] = [
    ['ids', 'UUID', Array.from({ length: count }, () => randomUUID())],
    ['numbers', 'UInt64', Array.from({ length: count }, (_, i) => 10 ** 15 + i)],
    ['texts', 'String', texts],
    ['tuples', 'Tuple(UInt64, String)', texts.map((text, i) => new TupleParam([i, text]))],
  ];

  it.each(lists)('of %s is one list in the statement', async (_what, type, list) => {
    const { connection } = test.store;
    const params = { list, last: list.at(-1) };
    const statement =
      `SELECT length({list:Array(${type})}), length(arrayDistinct({list:Array(${type})})), ` +
      `{last:${type}} IN {list:Array(${type})}, indexOf({list:Array(${type})}, {last:${type}})`;
    expect(await connection.select(statement, { params })).toEqual([[count, count, 1, count]]);
  });

  it('has the same texts', async () => {
    const { connection } = test.store;
    const rows = await connection.select<[string]>('SELECT arrayJoin({texts:Array(String)})', {
      params: { texts },
      settings: { max_block_size: '100000' },
    });
    expect(rows.map(([text]) => text)).toEqual(texts);
  });

  it('selects rows by the primary key', async () => {
    const { connection } = test.store;
    const rows = await connection.select<[string]>(
      'EXPLAIN indexes = 1 SELECT count() FROM events WHERE stream IN {streams:Array(String)}',
      { params: { streams: texts } },
    );
    expect(rows.flat().join('\n')).not.toContain('Condition: true');
  });
});
