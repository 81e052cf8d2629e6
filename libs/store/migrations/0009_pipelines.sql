-- What each run of a pipeline holds, by stage and partition: how far it is (kind `progress`, of no name), and the rows of
-- its windows and keys (kind `row`). Both are in one table, so that one insert saves them at once: what is known of a
-- window is never ahead of how far its partition has been read. The row with the greatest position wins: of a row that is
-- the last record that changed it, of the progress the next record to read.
-- A run is a partition of the table, so that removing one takes no time. Small granules: rows are asked for by name.
-- Closing times are microseconds since 1970.
CREATE TABLE IF NOT EXISTS pipeline_states
(
    run LowCardinality(String),
    kind LowCardinality(String),
    stage LowCardinality(String),
    stream LowCardinality(String),
    partition UInt16,
    name String CODEC(ZSTD(1)),
    state String CODEC(ZSTD(1)),
    closes_at Int64,
    position UInt64,
    updated_at DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(position)
PARTITION BY run
ORDER BY (kind, stage, stream, partition, name)
SETTINGS index_granularity = 512;
