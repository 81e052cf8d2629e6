import { openClickHouse } from '#store';
import { clickHouseOf, type ClickHouseAddress } from '#testkit';
import { PlainClickHouseClient } from '../clickhouse.js';

/** As in libs/core/store: one insert is one ClickHouse block. */
const settings = {
  async_insert: '0',
  wait_end_of_query: '1',
  max_insert_block_size: '16777216',
  min_insert_block_size_rows: '16777216',
  min_insert_block_size_bytes: '0',
};

const rowsPerInsert = 100_000;
const columns =
  'stream, partition, offset, event_id, event_type, entity_id, version, timestamp, ingested_at, schema_version, metadata, data';

/**
 * Inserts the rows of a stream again into a database of its own with the same tables and views, by HTTP requests with
 * prepared bodies, one after the other. Returns rows per second of the inserts alone.
 */
export async function bareInsert(source: {
  server: ClickHouseAddress;
  database: string;
  stream: string;
}): Promise<{ rowBinary: number; jsonEachRow: number }> {
  return {
    rowBinary: await insertAgain(source, 'RowBinary'),
    jsonEachRow: await insertAgain(source, 'JSONEachRow'),
  };
}

async function insertAgain(
  source: { server: ClickHouseAddress; database: string; stream: string },
  format: 'RowBinary' | 'JSONEachRow',
): Promise<number> {
  const database = `${source.database}_bare`;
  await emptyTables(source.server, database);
  const from = new PlainClickHouseClient(source.server, source.database);
  const to = new PlainClickHouseClient(source.server, database);
  const where = `startsWith(stream, '${source.stream}#')`;
  const rows = await from.number(`SELECT count() FROM events WHERE ${where}`);
  let seconds = 0;
  for (let at = 0; at < rows; at += rowsPerInsert) {
    const body = await from.run(
      `SELECT ${columns} FROM events WHERE ${where} ORDER BY stream, timestamp, partition, offset ` +
        `LIMIT ${rowsPerInsert} OFFSET ${at} FORMAT ${format}`,
    );
    const startedAt = performance.now();
    await to.run(`INSERT INTO events (${columns}) FORMAT ${format}`, settings, body);
    seconds += (performance.now() - startedAt) / 1000;
  }
  const stored = await to.number('SELECT count() FROM events');
  if (stored !== rows) throw new Error(`${stored} of ${rows} rows were inserted`);
  await new PlainClickHouseClient(source.server, 'default').run(`DROP DATABASE ${database}`);
  return rows / seconds;
}

/** Creates empty tables with the store's own migrations, so they have the same version. */
async function emptyTables(server: ClickHouseAddress, database: string): Promise<void> {
  await new PlainClickHouseClient(server, 'default').run(`DROP DATABASE IF EXISTS ${database}`);
  const store = openClickHouse(clickHouseOf(server, database));
  await store.migrate();
  await store.close();
}
