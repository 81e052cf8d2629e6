import type { ClickHouseSettings } from '@clickhouse/client';

/** Limits that ClickHouse enforces on one query; a query that exceeds one of them fails with QueryTooExpensiveError. */
export interface QueryLimits {
  seconds: number;
  rowsRead: number;
  memoryBytes: number;
  /** Maximum uncompressed bytes of one answer of ClickHouse; the gateway holds it in memory until it is sent. */
  resultBytes: number;
}

export function boundSettings(bounds: QueryLimits): ClickHouseSettings {
  return {
    max_execution_time: bounds.seconds,
    max_rows_to_read: String(bounds.rowsRead),
    max_memory_usage: String(bounds.memoryBytes),
    max_result_bytes: String(bounds.resultBytes),
  };
}
