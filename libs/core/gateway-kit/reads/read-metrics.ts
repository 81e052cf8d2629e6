import { gauge } from '#telemetry';

export const readsRunning = gauge('tributary_reads_running', {
  help: 'Queries of this instance that ClickHouse runs now.',
});

export const readsWaiting = gauge('tributary_reads_waiting', {
  help: 'Queries of this instance that wait to start now.',
});
