import type { ClickHouseSettings } from '@clickhouse/client';

/** ClickHouse settings with which an insert is answered only after its rows are written. */
export const synchronousInsert: ClickHouseSettings = { async_insert: 0, wait_end_of_query: 1 };

/**
 * ClickHouse settings with which an insert forms one block for each partition of a table, so the rows of a partition
 * are visible all at once or not at all.
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
 * Settings with which ClickHouse ignores a repeated insert with the same token, in the table and in the tables that its
 * materialized views fill. If the first attempt reached only some of these tables, the repeat completes the others.
 */
export const deduplicatedInsert: ClickHouseSettings = {
  ...atomicInsert,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
};

/**
 * ClickHouse settings for inserts into a ReplacingMergeTree without deduplication by token: a row that is written again
 * replaces the earlier row.
 */
export const replacingInsert: ClickHouseSettings = { ...atomicInsert, insert_deduplicate: 0 };
