-- Results of each generation of a projection for analysts' SQL: one row for each key, merged over all partitions of
-- `projection_states` (kind `row`), and the positions up to which the results are complete (kind `progress`, no key). The
-- gateway computes the rows before it runs a statement that names the view. In `state`, each field is one line of JSON text.
-- The row with the greatest position wins. The position of a result grows with each event that is folded into its key.
-- The columns and the partitions are those of `projection_states`.
CREATE TABLE IF NOT EXISTS projection_results
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
ORDER BY (key, stream, partition, stage, kind)
SETTINGS index_granularity = 512;
