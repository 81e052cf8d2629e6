import { distributedSettings } from '#store';
import type { SqlRequest } from './analyst-sql.js';
import { rowFilters, type TableAndViewDatabases } from './row-filters.js';

/** Limits that ClickHouse enforces on one SQL statement of an analyst. */
export interface StatementLimits {
  seconds: number;
  rowsRead: number;
  memoryBytes: number;
  resultRows: number;
  resultBytes: number;
  /** Maximum bytes of temporary data on ClickHouse's disk, for sorting and grouping. */
  temporaryBytes: number;
  /** Maximum number of elements that the function `range` makes for one block. */
  rangeElements: number;
}

export const defaultSqlBounds: StatementLimits = {
  seconds: 30,
  rowsRead: 2_000_000_000,
  memoryBytes: 2 * 1024 ** 3,
  resultRows: 50_000_000,
  resultBytes: 16 * 1024 ** 3,
  temporaryBytes: 8 * 1024 ** 3,
  rangeElements: 10_000_000,
};

/**
 * Settings that every statement of an analyst has. ClickHouse's user for analysts has them as constants, so no statement can
 * change them.
 */
export const fixedStatementSettings: Readonly<Record<string, string>> = {
  final: '1',
  ...Object.fromEntries(Object.entries(distributedSettings).map(([name, value]) => [name, String(value)])),
  apply_deleted_mask: '1',
  // All rows of one event have the same ingestion month: FINAL need not compare partitions.
  do_not_merge_across_partitions_select_final: '1',
  // These four keep the filters of a query plan in their written order: first the filters of the API key, then those of the
  // statement. In another order, an error raised by the statement's own condition could reveal rows that the key may not see.
  query_plan_merge_filters: '0',
  query_plan_filter_push_down: '0',
  optimize_move_to_prewhere: '0',
  query_plan_optimize_prewhere: '0',
  // Like the functions over JSON texts, a cast to JSON reads the first of the members that have one name.
  type_json_skip_duplicated_paths: '1',
  // It remembers which rows a condition matched, among the rows that another key may see.
  use_query_condition_cache: '0',
  timeout_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  result_overflow_mode: 'throw',
  cancel_http_readonly_queries_on_client_close: '1',
  // The statistics count all rows read, including rows that the key may not see.
  output_format_write_statistics: '0',
};

/**
 * Returns the ClickHouse settings with which an analyst's statement runs. The statement cannot change them: the analysis
 * refuses a SETTINGS clause.
 */
export function statementSettings(
  question: Pick<SqlRequest, 'seconds' | 'queryId' | 'permitted' | 'views' | 'generations'>,
  databases: TableAndViewDatabases,
  bounds: StatementLimits,
): Record<string, string> {
  const seconds = Math.min(question.seconds ?? bounds.seconds, bounds.seconds);
  return {
    readonly: '1',
    ...fixedStatementSettings,
    additional_table_filters: rowFilters(question, databases),
    // By this id, `ended` finds the statement.
    log_comment: question.queryId,
    max_execution_time: String(seconds),
    max_rows_to_read: String(bounds.rowsRead),
    max_memory_usage: String(bounds.memoryBytes),
    max_result_rows: String(bounds.resultRows),
    max_result_bytes: String(bounds.resultBytes),
    // ClickHouse does not check the time limit while it works on one block.
    function_range_max_elements_in_block: String(bounds.rangeElements),
    max_temporary_data_on_disk_size_for_query: String(bounds.temporaryBytes),
  };
}

/** A request that may read nothing. */
export const requestForNothing = {
  ...{ seconds: undefined, queryId: '', views: [], generations: [] },
  permitted: { access: { patterns: [], reserved: false } },
};

/** Names of the settings whose values differ between statements of analysts. Their user may change no others. */
export const analystSettingNames: readonly string[] = Object.keys(
  statementSettings(requestForNothing, { tables: '', views: '' }, defaultSqlBounds),
).filter((name) => name !== 'readonly' && !(name in fixedStatementSettings));
