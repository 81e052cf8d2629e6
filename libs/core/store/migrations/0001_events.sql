-- Events in the order of pages: (timestamp, partition, offset) within a stream. The sorting key is also the row's
-- identity, so writing a row again leaves one. Months of ingestion make the partitions: an event dated 1970 or 2099
-- does not make one of its own. A page of 100 is read out of granules of 2048 rows: with 8192, a page over several streams
-- took a fifth longer and inserting was not cheaper. An empty entity_id, a version of 0 and a schema_version of 0 stand for null.
CREATE TABLE IF NOT EXISTS events
(
    stream LowCardinality(String),
    partition UInt16,
    offset UInt64 CODEC(Delta, ZSTD(1)),
    event_id UUID,
    event_type LowCardinality(String),
    entity_id String CODEC(ZSTD(1)),
    version UInt64 CODEC(T64, ZSTD(1)),
    timestamp DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    ingested_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    schema_version UInt32 CODEC(ZSTD(1)),
    metadata String CODEC(ZSTD(1)),
    data String CODEC(ZSTD(1)),
    INDEX event_type_index event_type TYPE set(1000) GRANULARITY 8,
    INDEX event_id_index event_id TYPE bloom_filter(0.001) GRANULARITY 4,
    INDEX offset_index offset TYPE minmax GRANULARITY 4
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(ingested_at)
ORDER BY (stream, timestamp, partition, offset)
SETTINGS non_replicated_deduplication_window = 10000, index_granularity = 2048;

-- The same rows by entity, where there is one: an entity's events lie together.
CREATE TABLE IF NOT EXISTS events_by_entity
(
    stream LowCardinality(String),
    partition UInt16,
    offset UInt64 CODEC(Delta, ZSTD(1)),
    event_id UUID,
    event_type LowCardinality(String),
    entity_id String CODEC(ZSTD(1)),
    version UInt64 CODEC(T64, ZSTD(1)),
    timestamp DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    ingested_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    schema_version UInt32 CODEC(ZSTD(1)),
    metadata String CODEC(ZSTD(1)),
    data String CODEC(ZSTD(1)),
    INDEX offset_index offset TYPE minmax GRANULARITY 4
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(ingested_at)
ORDER BY (entity_id, stream, timestamp, partition, offset)
SETTINGS non_replicated_deduplication_window = 10000, index_granularity = 2048;

CREATE MATERIALIZED VIEW IF NOT EXISTS events_by_entity_view TO events_by_entity AS
SELECT stream, partition, offset, event_id, event_type, entity_id, version, timestamp, ingested_at, schema_version,
       metadata, data
FROM events
WHERE entity_id != '';
