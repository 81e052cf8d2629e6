-- Streams whose events can show in a letter: the text of a pipeline's event has what projections of other streams know. Who
-- may not see one of them does not see the letter; who is limited to streams does not see letters that do not say.
ALTER TABLE dead_letters ADD COLUMN IF NOT EXISTS streams Array(LowCardinality(String)) CODEC(ZSTD(1));
