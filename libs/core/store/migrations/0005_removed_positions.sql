-- Which offsets were stored once and have been removed since (erased, past their retention): `positions` without these is
-- what is there. Rows are never taken out of `positions` itself while the stream lives, as other rows are written
-- meanwhile.
CREATE TABLE IF NOT EXISTS removed_positions
(
    stream LowCardinality(String),
    partition UInt16,
    segment UInt64,
    offsets AggregateFunction(groupBitmap, UInt32)
)
ENGINE = AggregatingMergeTree
ORDER BY (stream, partition, segment);

-- The files of rows that were removed go soon after they have been written anew without them.
ALTER TABLE events MODIFY SETTING cleanup_delay_period = 30, max_cleanup_delay_period = 60;
ALTER TABLE events_by_entity MODIFY SETTING cleanup_delay_period = 30, max_cleanup_delay_period = 60;
ALTER TABLE entities MODIFY SETTING cleanup_delay_period = 30, max_cleanup_delay_period = 60;
ALTER TABLE dead_letters MODIFY SETTING cleanup_delay_period = 30, max_cleanup_delay_period = 60;

-- A dead letter that was removed and is written again as it was is no repeat. What is one replaces itself.
ALTER TABLE dead_letters MODIFY SETTING non_replicated_deduplication_window = 0;
