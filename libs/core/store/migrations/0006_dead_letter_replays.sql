-- Which dead letters have been replayed. Kept apart from the letters: whoever writes one again writes it as it was, and
-- cannot take its mark away. A letter is named by its identity and by what it holds (sipHash64 of `event`): a topic that
-- was made anew has others at the same offsets.
CREATE TABLE IF NOT EXISTS dead_letter_replays
(
    source LowCardinality(String),
    stream LowCardinality(String),
    partition UInt16,
    offset UInt64,
    event_hash UInt64,
    replayed_at SimpleAggregateFunction(max, Int64)
)
ENGINE = AggregatingMergeTree
ORDER BY (source, stream, partition, offset, event_hash);
