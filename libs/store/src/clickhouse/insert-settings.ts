import type { ClickHouseSettings } from '@clickhouse/client';

/** An insert is over when it is written. */
export const writtenInsert: ClickHouseSettings = { async_insert: 0, wait_end_of_query: 1 };

/** One insert is one block of each partition, so that it is there as a whole or not at all. */
const wholeInsert: ClickHouseSettings = {
  ...writtenInsert,
  max_insert_block_size: '16777216',
  min_insert_block_size_rows: '16777216',
  min_insert_block_size_bytes: '0',
  // Rows of one batch of events were ingested close together, whatever their own timestamps say; a clock that jumps is no
  // reason to refuse them.
  max_partitions_per_insert_block: '1000',
};

/**
 * The token makes a repeat of an insert vanish, in the table and in each of those that the materialized views fill; where the
 * first attempt got only as far as some of them, the repeat completes the others.
 */
export const deduplicatedInsert: ClickHouseSettings = {
  ...wholeInsert,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
};

/** A row that is written again replaces itself: no block needs to be known again. */
export const replacingInsert: ClickHouseSettings = { ...wholeInsert, insert_deduplicate: 0 };
