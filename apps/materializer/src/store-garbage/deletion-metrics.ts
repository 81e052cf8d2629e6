import { counter } from '#telemetry';

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
