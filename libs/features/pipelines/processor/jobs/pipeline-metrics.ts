import { counter, gauge } from '#telemetry';

export const pipelineRuns = gauge('tributary_pipeline_runs', {
  help: 'Pipeline jobs that this process runs now.',
});

export const pipelineProcessed = counter('tributary_pipeline_processed_total', {
  help: 'Source events that were processed, by pipeline. Events repeated after a crash count again.',
  labelNames: ['pipeline'],
});

export const pipelineEmitted = counter('tributary_pipeline_emitted_total', {
  help: 'Events written to streams and accepted by webhooks, by pipeline. Events repeated after a crash count again.',
  labelNames: ['pipeline'],
});

export const pipelineDropped = counter('tributary_pipeline_dropped_total', {
  help: 'Events that an operator dropped, by pipeline.',
  labelNames: ['pipeline'],
});

export const pipelineLate = counter('tributary_pipeline_late_total', {
  help: 'Events that arrived after their window had closed, by pipeline.',
  labelNames: ['pipeline'],
});

export const pipelineFailed = counter('tributary_pipeline_failed_total', {
  help: 'Events that could not be processed and were written to the dead letters, by pipeline.',
  labelNames: ['pipeline'],
});

export const pipelineDuplicates = counter('tributary_pipeline_duplicates_total', {
  help: 'Records dropped as duplicates because their event id occurred within the id window, by pipeline.',
  labelNames: ['pipeline'],
});

export const pipelineLagRecords = gauge('tributary_pipeline_lag_records', {
  help: 'Records of the sources and of the internal topics that this process has not processed and saved yet, by pipeline.',
  labelNames: ['pipeline'],
  aggregator: 'sum',
});

export const pipelineLagSeconds = gauge('tributary_pipeline_lag_seconds', {
  help: 'Age in seconds of the oldest record that is not processed and saved yet, by pipeline; 0 without lag.',
  labelNames: ['pipeline'],
});

export const pipelineWatermark = gauge('tributary_pipeline_watermark_timestamp_seconds', {
  help: 'Lowest watermark of the windows in this process, in seconds since 1970, by pipeline; without windows, the lowest watermark of its sources.',
  labelNames: ['pipeline'],
  aggregator: 'min',
});

export const pipelineLastProgress = gauge('tributary_pipeline_last_progress_timestamp_seconds', {
  help: 'Time at which this process last saved changes of a pipeline, in seconds since 1970.',
  labelNames: ['pipeline'],
});

export const pipelineSavedRows = counter('tributary_pipeline_saved_rows_total', {
  help: 'Rows of windows and keys inserted into ClickHouse.',
});
