import type { Readable } from 'node:stream';
import {
  clickHouseConnection,
  conditions,
  readableEventColumns,
  selectClause,
  SqlParams,
  whereClause,
  type ClickHouseStoreOptions,
  type DataMemberColumn,
  type EventFilter,
  type ParameterizedSql,
  type ClickHouseConnection,
} from '#store';

/**
 * File format of an export of events. Parquet and Arrow files end with a footer that a reader needs, so a truncated file
 * is detected.
 */
export type EventFileFormat = 'parquet' | 'arrow';

/** A query for matching events as one file. `streams` contains stream ids, not names. */
export interface EventFileExportQuery extends EventFilter {
  format: EventFileFormat;
  /** Top-level members of the events' `data` that become additional columns of the file. */
  members: readonly DataMemberColumn[];
}

/** Memory limit in bytes of the ClickHouse query that writes one file. */
const memoryBytes = 2 * 1024 ** 3;

/**
 * ClickHouse's format names. `Arrow` is the file format with a footer, by which a reader detects a truncated file.
 */
const formats: Readonly<Record<EventFileFormat, string>> = { parquet: 'Parquet', arrow: 'Arrow' };

/** Settings that keep row groups and record batches small enough for ClickHouse and for the reader. */
const fileSettings = {
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
} as const;

/**
 * Exports events as Parquet or Arrow files, which ClickHouse itself writes. Each event appears once, ordered by stream id,
 * then timestamp, partition and offset.
 */
export class EventFileExporter {
  private readonly connection: ClickHouseConnection;

  /** @param seconds time limit of one export, longer than that of other reads */
  constructor(
    options: ClickHouseStoreOptions,
    private readonly seconds: number,
  ) {
    const unhurried = { ...options, readTimeoutMs: (seconds + 5) * 1000, readBudget: undefined };
    this.connection = clickHouseConnection(unhurried, options.database);
  }

  /**
   * Resolves with the file as a stream when its first bytes are available. An abort of the signal also
   * cancels the query in ClickHouse. If ClickHouse fails later, the stream fails.
   * @throws QueryTooExpensiveError @throws StoreUnavailableError
   */
  open(query: EventFileExportQuery, signal: AbortSignal): Promise<Readable> {
    const { query: sql, params } = eventFileSql(query);
    const settings = {
      ...fileSettings,
      max_execution_time: this.seconds,
      max_memory_usage: String(memoryBytes),
      max_bytes_before_external_sort: String(memoryBytes / 2),
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
function eventFileSql(query: EventFileExportQuery): ParameterizedSql {
  const params = new SqlParams();
  return params.statement(`${query.where || query.members.length > 0 ? readableEventColumns : ''}
${selectClause(query.members, { event_id: 'toString(event_id)' })}
FROM events FINAL
${whereClause(conditions(query, params))}
ORDER BY stream, timestamp, partition, offset
FORMAT ${formats[query.format]}`);
}
