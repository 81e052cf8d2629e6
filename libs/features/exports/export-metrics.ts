import { counter } from '#telemetry';

export const exportsDone = counter('tributary_exports_total', {
  help: 'Exports of events, by format and outcome: complete, or cut_off.',
  labelNames: ['format', 'outcome'],
});
