-- Where in a pipeline it was that an event could not go on: JSON `[run, operator, stream, path, replay]`, empty for letters
-- that are not of pipelines. It is part of their identity: one event of a stream may fail in several branches, or as several
-- elements of a list.
ALTER TABLE dead_letters
    ADD COLUMN IF NOT EXISTS step String CODEC(ZSTD(1)),
    MODIFY ORDER BY (source, stream, partition, offset, step);
ALTER TABLE dead_letter_replays
    ADD COLUMN IF NOT EXISTS step String CODEC(ZSTD(1)),
    MODIFY ORDER BY (source, stream, partition, offset, event_hash, step);
