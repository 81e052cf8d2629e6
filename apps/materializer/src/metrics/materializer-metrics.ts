import { counter, gauge, histogram } from '#telemetry';

export const consumeRecords = counter('tributary_consume_records_total', {
  help: 'Records read from the log, by stream.',
  labelNames: ['stream'],
});

export const consumeLagRecords = gauge('tributary_consume_lag_records', {
  help: 'Records in the log that this process has not processed yet, by stream; the sum over its partitions.',
  labelNames: ['stream'],
});

export const consumeLagSeconds = gauge('tributary_consume_lag_seconds', {
  help: 'Age in seconds of the oldest record that is not processed yet, by stream; 0 without lag.',
  labelNames: ['stream'],
});

export const consumeLastProgress = gauge('tributary_consume_last_progress_timestamp_seconds', {
  help: 'Time at which this process last made progress in the log, in seconds since 1970.',
});

export const duplicatesDropped = counter('tributary_duplicates_dropped_total', {
  help: 'Records dropped as duplicates because their event id occurred within the id window or, as a far duplicate, before it, by stream.',
  labelNames: ['stream'],
});

export const conditionalWrites = counter('tributary_conditional_writes_total', {
  help: 'Conditional writes that the materializer has decided, by verdict: accepted, refused, partial_repeat for a record of an atomic batch of which only some records repeat accepted events, or repeated for a record that repeats an accepted event.',
  labelNames: ['verdict'],
});

export const erasedSkipped = counter('tributary_erased_skipped_total', {
  help: 'Records skipped because their entity was erased, by stream.',
  labelNames: ['stream'],
});

export const eventsWrittenBack = counter('tributary_events_written_back_total', {
  help: 'Stored events that Kafka has lost and that the materializer has written to Kafka again.',
});

export const insertRows = counter('tributary_insert_rows_total', { help: 'Rows inserted into ClickHouse.' });

export const insertDuration = histogram('tributary_insert_duration_seconds', {
  help: 'Seconds of one insert into all tables.',
});

export const insertErrors = counter('tributary_insert_errors_total', {
  help: 'Failed inserts, by reason: unavailable, refused (rejected by ClickHouse).',
  labelNames: ['reason'],
});
for (const reason of ['unavailable', 'refused']) insertErrors.inc({ reason }, 0);

export const eventFreshness = histogram('tributary_freshness_seconds', {
  help: 'Seconds from the receipt of an event (ingested_at) until it can be queried; one observation for the oldest event of each batch and partition.',
});

export const deletedEvents = counter('tributary_removed_events_total', {
  help: 'Events that the materializer deleted from ClickHouse, by reason: time, bytes (retention), erased.',
  labelNames: ['reason'],
});

export const deletionErrors = counter('tributary_removal_errors_total', {
  help: 'Failed deletions, which are retried later, by reason: time, bytes, erased, deleted, late, purge.',
  labelNames: ['reason'],
});
for (const reason of ['time', 'bytes', 'erased', 'deleted', 'late', 'purge'])
  deletionErrors.inc({ reason }, 0);
