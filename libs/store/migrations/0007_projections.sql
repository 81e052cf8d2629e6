-- What each build of a projection knows, by key and partition of its source: the row with the greatest offset wins.
-- A build is a partition of the table, so that removing one takes no time; nothing of two builds is ever merged.
-- Small granules: a processor asks for some thousand keys that lie anywhere among a million.
CREATE TABLE IF NOT EXISTS projection_states
(
    build LowCardinality(String),
    key String CODEC(ZSTD(1)),
    stream LowCardinality(String),
    partition UInt16,
    state String CODEC(ZSTD(1)),
    events UInt64,
    last_offset UInt64,
    updated_at DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(last_offset)
PARTITION BY build
ORDER BY (key, stream, partition)
SETTINGS index_granularity = 512;

-- How far each build is in each partition of its sources: the greatest one wins.
CREATE TABLE IF NOT EXISTS projection_progress
(
    build LowCardinality(String),
    stream LowCardinality(String),
    partition UInt16,
    next UInt64,
    processed UInt64,
    failed UInt64,
    updated_at DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(next)
PARTITION BY build
ORDER BY (stream, partition);
