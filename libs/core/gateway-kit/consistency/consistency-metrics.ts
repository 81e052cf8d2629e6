import { gauge } from '#telemetry';

export const waitForWaiting = gauge('tributary_wait_for_waiting', {
  help: 'Positions of the log that queries wait for now (wait_for).',
});
