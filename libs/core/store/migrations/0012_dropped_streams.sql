-- Ids of streams that were dropped. An id is never used again: questions that name no stream leave out what is of these,
-- and rows that come late are found by them.
CREATE TABLE IF NOT EXISTS dropped_streams
(
    stream String,
    dropped_at DateTime DEFAULT now()
)
ENGINE = ReplacingMergeTree
ORDER BY stream;
