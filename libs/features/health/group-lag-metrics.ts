import { gauge } from '#telemetry';

export const groupLagRecords = gauge('tributary_group_lag_records', {
  help: 'Records in the log that a consumer group has not committed, measured by another process: materializer, processor.',
  labelNames: ['group'],
});

export const groupLagSeconds = gauge('tributary_group_lag_seconds', {
  help: 'Lower bound of the seconds for which a consumer group has had lag in its slowest partition, measured by another process; 0 without lag.',
  labelNames: ['group'],
});
