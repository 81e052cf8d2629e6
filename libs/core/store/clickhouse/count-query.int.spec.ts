import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { parseTime } from '#json';
import { newStream, rowsOf, second, t0 } from '../contract/rows.js';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import { countSql } from './count-query.js';
import { openTestStore, type TestStore } from './test-store.js';

const loaded = 100_000;
const recent = 100;
/** All events say that they happened then, so their own time selects nothing. */
const timestamp = parseTime('2001-01-01T00:00:00Z') as number;
const lastHour = { access: allStreams, limit: 10, since: t0, time: 'ingested_at' } as const;

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore({ merges: true });
  const ingested: [number, number][] = [
    [loaded, t0 - 7_200 * second],
    [recent, t0 + 60 * second],
  ];
  for (const [count, ingested_at] of ingested) {
    const stream = newStream();
    const rows = rowsOf(stream, count, () => ({ timestamp, ingested_at }));
    await test.store.writer.appendRowBatches(rowBatchesOf(rows), stream);
  }
  await test.engine.command({ query: 'OPTIMIZE TABLE events FINAL' });
});
afterAll(() => test.close());

async function rowsToRead({ query, params }: ReturnType<typeof countSql>): Promise<number> {
  const asked = { query: `EXPLAIN ESTIMATE ${query}`, query_params: params, format: 'JSON' } as const;
  const estimate = await (await test.engine.query(asked)).json<{ parts: string; rows: string }>();
  expect(estimate.data.map(({ parts }) => Number(parts))).toEqual([1]);
  return Number(estimate.data[0]?.rows);
}

describe('a count by the time of ingestion', () => {
  it.each([false, true])(
    'reads the events of its interval, and not those that were loaded before (repeated rows: %s)',
    async (final) => {
      expect(await rowsToRead(countSql({ ...lastHour, since: undefined, groupBy: 'stream' }, final))).toBe(
        loaded + recent,
      );
      // Each granule that is read has 2048 rows.
      expect(await rowsToRead(countSql({ ...lastHour, groupBy: 'stream' }, final))).toBeLessThan(3 * 2048);
    },
  );

  it('has the events of its interval', async () => {
    expect((await test.store.reader.count(lastHour)).total).toBe(recent);
  });
});
