import type { Readable } from 'node:stream';
import type { ClickHouseSettings } from '@clickhouse/client';
import { readableEventColumns, conditions, whereClause } from './connection/event-conditions.js';
import type { EventFileFormat, EventFileExportQuery, EventFileExporter } from '../event-files.js';
import type { StoreClickHouseClient } from './connection/store-clickhouse-client.js';
import { SqlParams, type ParameterizedSql } from './connection/sql-params.js';
import { selectClause } from './event-columns.js';

/** Limits of the ClickHouse query that writes one export file: seconds, and bytes of ClickHouse's memory. */
export interface EventFileExportLimits {
  seconds: number;
  memoryBytes: number;
}

export const defaultEventFileBounds: EventFileExportLimits = { seconds: 600, memoryBytes: 2 * 1024 ** 3 };

/**
 * ClickHouse's format names. `Arrow` is the file format with a footer, by which a reader detects a truncated file.
 */
const formats: Readonly<Record<EventFileFormat, string>> = { parquet: 'Parquet', arrow: 'Arrow' };

/** Settings that keep row groups and record batches small enough for ClickHouse and for the reader. */
const fileSettings: ClickHouseSettings = {
  output_format_parquet_row_group_size: '100000',
  output_format_parquet_row_group_size_bytes: String(32 * 1024 ** 2),
  output_format_parquet_compression_method: 'snappy',
  output_format_arrow_compression_method: 'none',
  output_format_arrow_string_as_string: 1,
  // A condition refers to the column, not to the SELECT alias of the same name.
  prefer_column_name_to_alias: 1,
  // All rows of one event have the same ingestion month: FINAL need not compare partitions.
  do_not_merge_across_partitions_select_final: 1,
  // One thread for each step leaves processors to queries.
  max_threads: 1,
  // A lower priority for the processor, where ClickHouse may set it (capability SYS_NICE).
  os_thread_priority: '10',
};

/** Exports events as Parquet or Arrow files, which ClickHouse itself writes. */
export class ClickHouseEventFileExporter implements EventFileExporter {
  constructor(
    private readonly connection: StoreClickHouseClient,
    private readonly bounds: EventFileExportLimits,
  ) {}

  open(query: EventFileExportQuery, signal: AbortSignal): Promise<Readable> {
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
 * ORDER BY stream, timestamp, partition, offset: the table `events` is stored in this order. So ClickHouse does not
 * sort the rows, and the same events always produce the same file. FINAL: each event appears once.
 */
export function eventFileSql(query: EventFileExportQuery): ParameterizedSql {
  const params = new SqlParams();
  return params.statement(`${query.where || query.members.length > 0 ? readableEventColumns : ''}
${selectClause(query.members, { event_id: 'toString(event_id)' })}
FROM events FINAL
${whereClause(conditions(query, params))}
ORDER BY stream, timestamp, partition, offset
FORMAT ${formats[query.format]}`);
}
