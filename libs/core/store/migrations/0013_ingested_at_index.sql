-- Rates count by the time of ingestion. The sorting key has the event's time, so these counts skip granules by their least and
-- greatest time of ingestion. Parts that exist already get the index when they are merged.
ALTER TABLE events
    ADD INDEX IF NOT EXISTS ingested_at_index ingested_at TYPE minmax GRANULARITY 1;
