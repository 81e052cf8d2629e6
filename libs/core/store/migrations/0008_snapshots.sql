-- The state of an entity after its event of a version. A snapshot counts as long as its first and its last event are
-- stored: with the first one gone (erased, past its retention) it would show what must not be seen any more. Its own place
-- is that of its last event, so that one of an erased entity never replaces one of what is written after.
-- Times are whole microseconds since 1970. States may be large: granules are small, so that one is read and not a
-- thousand.
CREATE TABLE IF NOT EXISTS snapshots
(
    stream LowCardinality(String),
    entity_id String CODEC(ZSTD(1)),
    version UInt64,
    partition UInt16,
    offset UInt64,
    timestamp Int64,
    ingested_at Int64,
    first_partition UInt16,
    first_offset UInt64,
    first_timestamp Int64,
    first_ingested_at Int64,
    latest_timestamp Int64,
    created_at Int64,
    reason LowCardinality(String),
    state_bytes UInt32,
    state String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (entity_id, stream, version, partition, offset, ingested_at)
SETTINGS index_granularity = 256, index_granularity_bytes = 1048576, cleanup_delay_period = 30, max_cleanup_delay_period = 60;
