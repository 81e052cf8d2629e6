-- What each generation of a projection knows (kind `row`), by key and partition of its source, and how far it is in each
-- partition (kind `progress`, of no key). Both are in one table, so that one insert saves them at once: no key is ahead of how
-- far its partition has been read. The row with the greatest position wins: of a key that is the last record that changed it,
-- of the progress the next record to read.
-- A generation is a partition of the table, so that removing one takes no time; nothing of two is ever merged.
-- Small granules: a processor asks for some thousand keys that lie anywhere among a million.
CREATE TABLE IF NOT EXISTS projection_states
(
    owner LowCardinality(String),
    kind LowCardinality(String),
    stage LowCardinality(String),
    stream LowCardinality(String),
    partition UInt16,
    key String CODEC(ZSTD(1)),
    state String CODEC(ZSTD(1)),
    events UInt64,
    closes_at Int64,
    position UInt64,
    updated_at DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(position)
PARTITION BY owner
ORDER BY (key, stream, partition, stage, kind)
SETTINGS index_granularity = 512;
