-- The table of the sample feature of the specs.
CREATE TABLE IF NOT EXISTS samples
(
    name String,
    seen UInt64
)
ENGINE = ReplacingMergeTree
ORDER BY name;
