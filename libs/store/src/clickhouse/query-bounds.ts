import type { ClickHouseSettings } from '@clickhouse/client';

/** What one query may use before it fails with QueryTooExpensiveError. */
export interface QueryBounds {
  seconds: number;
  rowsRead: number;
  memoryBytes: number;
  /** Of one answer, uncompressed: it is held in memory while it is passed on. */
  resultBytes: number;
}

export function boundSettings(bounds: QueryBounds): ClickHouseSettings {
  return {
    max_execution_time: bounds.seconds,
    max_rows_to_read: String(bounds.rowsRead),
    max_memory_usage: String(bounds.memoryBytes),
    max_result_bytes: String(bounds.resultBytes),
  };
}
