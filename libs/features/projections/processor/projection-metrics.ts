import { counter, gauge, histogram } from '#telemetry';

export const projectionGenerations = gauge('tributary_projection_builds', {
  help: 'Projection generations that this process runs now: those that are still built, and those that serve queries.',
});

export const projectionEvents = counter('tributary_projection_events_total', {
  help: 'Events that were folded, by projection; the sum over its generations. Events repeated after a crash count again.',
  labelNames: ['projection'],
});

export const projectionFailed = counter('tributary_projection_failed_total', {
  help: 'Events that could not be folded and were written to the dead letters, by projection.',
  labelNames: ['projection'],
});

export const projectionUnstored = counter('tributary_projection_unstored_offsets_total', {
  help: 'Offsets that the log deleted before the materializer had stored them, by projection. These events are missing in the projection.',
  labelNames: ['projection'],
});

export const projectionDuplicates = counter('tributary_projection_duplicates_total', {
  help: 'Records dropped as duplicates because their event id occurred within the id window, by projection.',
  labelNames: ['projection'],
});

export const projectionLagRecords = gauge('tributary_projection_lag_records', {
  help: 'Records in the log that this process has not folded and saved yet, by projection; the sum over its partitions.',
  labelNames: ['projection'],
  aggregator: 'sum',
});

export const projectionLagSeconds = gauge('tributary_projection_lag_seconds', {
  help: 'Age in seconds of the oldest record that is not folded and saved yet, by projection; 0 without lag.',
  labelNames: ['projection'],
});

export const projectionLastProgress = gauge('tributary_projection_last_progress_timestamp_seconds', {
  help: 'Time at which this process last saved changes of a projection, in seconds since 1970.',
  labelNames: ['projection'],
});

export const projectionSavedRows = counter('tributary_projection_saved_rows_total', {
  help: 'States of projection keys inserted into ClickHouse.',
});

export const projectionSaveDuration = histogram('tributary_projection_save_duration_seconds', {
  help: 'Seconds of one save of dead letters, states and progress of all changed projections.',
});
