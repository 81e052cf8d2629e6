import type { ClickHouseSettings } from '@clickhouse/client';

/** Limits that ClickHouse enforces on one query; a query that exceeds one of them fails with QueryTooExpensiveError. */
export interface QueryLimits {
  seconds: number;
  rowsRead: number;
  memoryBytes: number;
  /** Maximum uncompressed bytes of one answer of ClickHouse; the gateway holds it in memory until it is sent. */
  resultBytes: number;
}

/** Returns the ClickHouse settings that enforce these limits. */
export function boundSettings(bounds: QueryLimits): ClickHouseSettings {
  return {
    max_execution_time: bounds.seconds,
    max_rows_to_read: String(bounds.rowsRead),
    max_memory_usage: String(bounds.memoryBytes),
    max_result_bytes: String(bounds.resultBytes),
  };
}

/** Settings of queries over the shards of a cluster. Without a cluster they have no effect. */
export const distributedSettings: ClickHouseSettings = {
  // A subquery finds the rows of all shards.
  distributed_product_mode: 'global',
  // A replica that lags by more seconds is not read; without another one, the query fails.
  max_replica_delay_for_distributed_queries: '5',
  fallback_to_stale_replicas_for_distributed_queries: 0,
};

/** Raises the limit on the text of a query to 4 MiB; the default is 256 KiB. */
export const longQuerySettings = { max_query_size: String(4 * 1024 * 1024) };

/** An insert is answered only after its rows are written. */
export const synchronousInsert: ClickHouseSettings = { async_insert: 0, wait_end_of_query: 1 };

/**
 * An insert forms one block for each partition of a table, so the rows of a partition are visible all at once or not at
 * all.
 */
const atomicInsert: ClickHouseSettings = {
  ...synchronousInsert,
  max_insert_block_size: '16777216',
  min_insert_block_size_rows: '16777216',
  min_insert_block_size_bytes: '0',
  // The events of one batch are normally ingested close together, whatever their timestamps. The high limit
  // ensures that a clock jump does not cause a rejected insert.
  max_partitions_per_insert_block: '1000',
};

/**
 * ClickHouse ignores a repeated insert with the same token, in the table and in the tables that its materialized views
 * fill. If the first attempt reached only some of these tables, the repeat completes the others.
 */
export const deduplicatedInsert: ClickHouseSettings = {
  ...atomicInsert,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
};

/** For a ReplacingMergeTree, without deduplication: a row that is written again replaces the earlier row. */
export const replacingInsert: ClickHouseSettings = { ...atomicInsert, insert_deduplicate: 0 };

/**
 * Settings for a lightweight delete: ClickHouse masks the rows, so no later answer contains them. The statement waits
 * until all parts are masked. The text of the DELETE statement remains in ClickHouse's list of mutations, so it must
 * not contain personal data.
 */
export const deleteSettings: ClickHouseSettings = { lightweight_deletes_sync: '2', mutations_sync: '2' };
