-- The progress of passes of the scrub that an operator requested, one row for each partition. The newest row wins. A request is
-- of no interest after a week.
CREATE TABLE IF NOT EXISTS scrub_passes
(
    request String,
    stream LowCardinality(String),
    partition UInt16,
    compared UInt64,
    repaired UInt64,
    unlogged UInt64,
    undecided UInt64,
    is_complete UInt8,
    updated_at DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (request, stream, partition)
TTL toDateTime(updated_at) + INTERVAL 7 DAY;
