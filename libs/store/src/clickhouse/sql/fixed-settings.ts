import type { SqlQuestion } from '../../sql-queries.js';
import { rowFilters, type SqlDatabases } from './row-filters.js';

/** What one statement of an analyst may use. */
export interface SqlBounds {
  seconds: number;
  rowsRead: number;
  memoryBytes: number;
  resultRows: number;
  resultBytes: number;
  /** Of sorting and grouping, on disk. */
  temporaryBytes: number;
}

export const defaultSqlBounds: SqlBounds = {
  seconds: 30,
  rowsRead: 2_000_000_000,
  memoryBytes: 2 * 1024 ** 3,
  resultRows: 50_000_000,
  resultBytes: 16 * 1024 ** 3,
  temporaryBytes: 8 * 1024 ** 3,
};

/**
 * The order of a plan's filters stays as it was written: first those of the key, then those of the statement. In another
 * order, an error that the statement's own condition raises would tell of rows that the key does not see.
 */
const filtersInOrder = {
  query_plan_merge_filters: '0',
  query_plan_filter_push_down: '0',
  optimize_move_to_prewhere: '0',
  query_plan_optimize_prewhere: '0',
};

/** The settings of a statement. With `readonly = 1`, the statement cannot change them. */
export function fixedSettings(
  question: SqlQuestion,
  databases: SqlDatabases,
  bounds: SqlBounds,
): Record<string, string> {
  const seconds = Math.min(question.seconds ?? bounds.seconds, bounds.seconds);
  return {
    readonly: '1',
    additional_table_filters: rowFilters(question, databases),
    final: '1',
    apply_deleted_mask: '1',
    // Events of one identity were ingested in the same month: FINAL need not look for them in another partition.
    do_not_merge_across_partitions_select_final: '1',
    ...filtersInOrder,
    max_execution_time: String(seconds),
    timeout_overflow_mode: 'throw',
    max_rows_to_read: String(bounds.rowsRead),
    read_overflow_mode: 'throw',
    max_memory_usage: String(bounds.memoryBytes),
    max_result_rows: String(bounds.resultRows),
    max_result_bytes: String(bounds.resultBytes),
    result_overflow_mode: 'throw',
    max_temporary_data_on_disk_size_for_query: String(bounds.temporaryBytes),
    cancel_http_readonly_queries_on_client_close: '1',
    // The statistics count all rows that were read, also those that the key does not cover.
    output_format_write_statistics: '0',
  };
}
