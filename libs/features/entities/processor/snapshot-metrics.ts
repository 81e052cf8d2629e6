import { counter, gauge } from '#telemetry';

export const snapshotsCreated = counter('tributary_snapshots_total', {
  help: 'Automatic snapshots of entities, made when their version passed a multiple of snapshot_every.',
});

export const snapshotFailures = counter('tributary_snapshot_failures_total', {
  help: 'Automatic snapshots that were skipped, by reason: too_large (the state, or reading it), removed_meanwhile, error (all snapshots of a batch count as one).',
  labelNames: ['reason'],
});
for (const reason of ['too_large', 'error']) snapshotFailures.inc({ reason }, 0);

export const snapshotLagRecords = gauge('tributary_snapshot_lag_records', {
  help: 'Records in the log for which this process has not made the snapshots yet; the sum over its partitions.',
  aggregator: 'sum',
});

export const snapshotLagSeconds = gauge('tributary_snapshot_lag_seconds', {
  help: 'Age in seconds of the oldest record whose snapshots are not made yet; 0 without lag.',
});
