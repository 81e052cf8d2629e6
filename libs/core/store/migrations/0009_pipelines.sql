-- What each job of a pipeline holds, by stage and partition: how far it is (kind `progress`, of no key), and the rows of
-- its windows and keys (kind `row`). The columns are those of `projection_states`; the order is another one: a stage asks for
-- the rows of its own partition only.
-- A job is a partition of the table, so that removing one takes no time. Small granules: rows are asked for by key.
-- Closing times are microseconds since 1970.
CREATE TABLE IF NOT EXISTS pipeline_states
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
ORDER BY (kind, stage, stream, partition, key)
SETTINGS index_granularity = 512;
