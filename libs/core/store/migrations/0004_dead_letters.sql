-- Records that could not become events. One that is given up on again replaces itself.
CREATE TABLE IF NOT EXISTS dead_letters
(
    source LowCardinality(String),
    stream LowCardinality(String),
    partition UInt16,
    offset UInt64,
    reason LowCardinality(String),
    error String CODEC(ZSTD(1)),
    event String CODEC(ZSTD(1)),
    created_at DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (source, stream, partition, offset)
SETTINGS non_replicated_deduplication_window = 1000;
