import type { ClickHouseSettings } from '@clickhouse/client';
import { RowBinaryWriter } from '../../row-batch/row-binary.js';
import type { ClickHouseConnection } from './store-clickhouse-client.js';

type WriteColumn<Row> = (out: RowBinaryWriter, row: Row) => void;

/** Inserts rows into a ClickHouse table in the RowBinary format. */
export class RowTable<Row> {
  private readonly sql: string;
  private readonly writers: readonly WriteColumn<Row>[];

  /** @param columns How the value of each column is written from a row, by the name of the column. */
  constructor(name: string, columns: Readonly<Record<string, WriteColumn<Row>>>) {
    this.sql = `INSERT INTO ${name} (${Object.keys(columns).join(', ')}) FORMAT RowBinary`;
    this.writers = Object.values(columns);
  }

  async insert(
    connection: ClickHouseConnection,
    rows: readonly Row[],
    settings: ClickHouseSettings,
  ): Promise<void> {
    const out = new RowBinaryWriter();
    for (const row of rows) for (const write of this.writers) write(out, row);
    await connection.insert(this.sql, [out.bytes()], settings);
  }
}
