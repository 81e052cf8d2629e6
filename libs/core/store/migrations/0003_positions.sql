-- Which offsets are stored, as bitmaps of a million offsets each: a repeated row sets the same bit again, so counting
-- bits counts events, before and after merges.
-- Times are whole microseconds since 1970: compiled (JIT) min and max of ClickHouse 26.7 take a DateTime64 before 1970
-- for a large unsigned number.
CREATE TABLE IF NOT EXISTS positions
(
    stream LowCardinality(String),
    partition UInt16,
    segment UInt64,
    offsets AggregateFunction(groupBitmap, UInt32),
    first_timestamp SimpleAggregateFunction(min, Int64),
    last_timestamp SimpleAggregateFunction(max, Int64)
)
ENGINE = AggregatingMergeTree
ORDER BY (stream, partition, segment)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS positions_view TO positions AS
SELECT stream, partition,
       intDiv(e.offset, 1048576) AS segment,
       groupBitmapState(toUInt32(e.offset % 1048576)) AS offsets,
       min(toUnixTimestamp64Micro(e.timestamp)) AS first_timestamp,
       max(toUnixTimestamp64Micro(e.timestamp)) AS last_timestamp
FROM events AS e
GROUP BY stream, partition, segment;
