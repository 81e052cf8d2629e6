import { counter } from '#telemetry';

export const sqlRejections = counter('tributary_sql_refused_total', {
  help: 'SQL statements of analysts that were rejected because they use something that is not permitted.',
});
