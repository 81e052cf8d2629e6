import { counter, gauge, histogram } from '#telemetry';

export const eventsRejected = counter('tributary_events_rejected_total', {
  help: 'Events rejected because of their content, by problem code.',
  labelNames: ['code'],
});

export const produceRecords = counter('tributary_produce_records_total', {
  help: 'Records that Kafka has acknowledged.',
});

export const produceBytes = counter('tributary_produce_bytes_total', {
  help: 'Characters of the record values that Kafka has acknowledged; equal to bytes for ASCII.',
});

export const produceInFlightBytes = gauge('tributary_produce_in_flight_bytes', {
  help: 'Bytes sent to Kafka and not yet acknowledged.',
});

export const produceDuration = histogram('tributary_produce_duration_seconds', {
  help: 'Seconds from sending records until all in-sync replicas have acknowledged them.',
});

export const produceErrors = counter('tributary_produce_errors_total', {
  help: 'Failed appends to the log, by reason: overloaded, unavailable, unknown_topic, other.',
  labelNames: ['reason'],
});
for (const reason of ['overloaded', 'unavailable', 'unknown_topic', 'other'])
  produceErrors.inc({ reason }, 0);
