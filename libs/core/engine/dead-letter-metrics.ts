import { counter } from '#telemetry';

export const deadLettersWritten = counter('tributary_dead_letters_total', {
  help: 'Records written to the dead letters, by reason.',
  labelNames: ['reason'],
});
const reasons =
  'unreadable refused_by_store cannot_be_folded operator_failed schema_violation webhook_failed late_event';
for (const reason of reasons.split(' ')) deadLettersWritten.inc({ reason }, 0);
