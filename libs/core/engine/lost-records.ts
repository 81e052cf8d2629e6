import type { LostRecords, TopicPartition } from '#kafka';
import { counter, type Logger } from '#telemetry';

const lostRecords = counter('tributary_log_lost_records_total', {
  help: 'Records that a consumer has read and that Kafka has lost since, by consumer. They count at each assignment until the consumer has committed a later offset.',
  labelNames: ['consumer'],
});

/** Logs and counts records that Kafka has lost after a consumer has read them. `consumer` is the kind of the consumer. */
export function reportLostRecords(
  { topic, partition }: TopicPartition,
  lost: LostRecords | undefined,
  { consumer, logger }: { consumer: 'materializer' | 'processor' | 'scrub' | 'gateway'; logger: Logger },
): void {
  lostRecords.inc({ consumer }, lost ? lost.until - lost.from : 0);
  if (!lost) return;
  logger.error(
    { consumer, topic, partition, from: lost.from, until: lost.until },
    'Kafka has lost records that were read, and may have others at their offsets: see docs/runbooks/TributaryLogLostRecords.md',
  );
}
