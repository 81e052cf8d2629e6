import { counter } from '#telemetry';

export const pipelineSavedRows = counter('tributary_pipeline_saved_rows_total', {
  help: 'Rows of windows and keys inserted into ClickHouse.',
});
