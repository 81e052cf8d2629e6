-- The head of each entity. max and min come out the same however often a row is written.
-- Times are whole microseconds since 1970: compiled (JIT) min and max of ClickHouse 26.7 take a DateTime64 before 1970
-- for a large unsigned number.
CREATE TABLE IF NOT EXISTS entities
(
    stream LowCardinality(String),
    entity_id String CODEC(ZSTD(1)),
    partition UInt16,
    last_version SimpleAggregateFunction(max, UInt64),
    last_offset SimpleAggregateFunction(max, UInt64),
    first_timestamp SimpleAggregateFunction(min, Int64),
    last_timestamp SimpleAggregateFunction(max, Int64)
)
ENGINE = AggregatingMergeTree
ORDER BY (stream, entity_id, partition)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS entities_view TO entities AS
SELECT stream, entity_id, partition,
       max(e.version) AS last_version,
       max(e.offset) AS last_offset,
       min(toUnixTimestamp64Micro(e.timestamp)) AS first_timestamp,
       max(toUnixTimestamp64Micro(e.timestamp)) AS last_timestamp
FROM events AS e
WHERE entity_id != ''
GROUP BY stream, entity_id, partition;
