import type { Readable } from 'node:stream';
import type { ClickHouseSettings } from '@clickhouse/client';
import { readableColumns } from '#cel';
import type { EventFileFormat, EventFileQuery, EventFiles } from '../event-files.js';
import type { Connection } from './connection.js';
import type { Sql } from './event-query.js';
import { conditions, whereClause } from './filter-to-sql.js';
import { Params } from './params.js';
import { selectedColumns } from './sql/view-statements.js';

/** What one file may cost. */
export interface EventFileBounds {
  seconds: number;
  memoryBytes: number;
}

export const defaultEventFileBounds: EventFileBounds = { seconds: 600, memoryBytes: 2 * 1024 ** 3 };

/** ClickHouse's names. Its `Arrow` is the file with a footer, which tells a whole file from a part of one. */
const formats: Readonly<Record<EventFileFormat, string>> = { parquet: 'Parquet', arrow: 'Arrow' };

/** Row groups and blocks small enough that neither side holds much. */
const fileSettings: ClickHouseSettings = {
  output_format_parquet_row_group_size: '100000',
  output_format_parquet_row_group_size_bytes: String(32 * 1024 ** 2),
  output_format_parquet_compression_method: 'snappy',
  output_format_arrow_compression_method: 'none',
  output_format_arrow_string_as_string: 1,
  // A condition is about the column, not about what the SELECT makes of it.
  prefer_column_name_to_alias: 1,
  // Events of one identity were ingested in the same month: FINAL need not look for them in another partition.
  do_not_merge_across_partitions_select_final: 1,
};

export class ClickHouseEventFiles implements EventFiles {
  constructor(
    private readonly connection: Connection,
    private readonly bounds: EventFileBounds,
  ) {}

  open(query: EventFileQuery, signal: AbortSignal): Promise<Readable> {
    const { seconds, memoryBytes } = this.bounds;
    const { query: sql, params } = eventFileSql(query);
    const settings = {
      ...fileSettings,
      max_execution_time: seconds,
      max_memory_usage: String(memoryBytes),
      max_bytes_before_external_sort: String(Math.floor(memoryBytes / 2)),
    };
    return this.connection.open(sql, { params, settings, signal });
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

/**
 * ORDER BY stream, timestamp, partition, offset: the order of the table, so ClickHouse sorts nothing and the same events
 * make the same file. FINAL: no event twice.
 */
export function eventFileSql(query: EventFileQuery): Sql {
  const params = new Params();
  return {
    query: `${query.where ? readableColumns : ''}
${selectedColumns(query.members, { event_id: 'toString(event_id)' })}
FROM events FINAL
${whereClause(conditions(query, params))}
ORDER BY stream, timestamp, partition, offset
FORMAT ${formats[query.format]}`,
    params: params.values,
  };
}
