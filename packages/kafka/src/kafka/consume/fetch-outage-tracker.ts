import { OutageTracker } from '#async';
import type { KafkaLogger } from '../logger.js';
import type { PartitionBuffer } from './partition-buffer.js';

/**
 * Outage that lasts while at least one partition of the process cannot be fetched from Kafka; it keeps the partitions
 * that fail.
 */
export type FetchOutageTracker = OutageTracker<PartitionBuffer>;

/**
 * Returns an outage that logs one line when fetching begins to fail, and one when all partitions are fetched again,
 * whatever the number of consumers and retries.
 */
export function fetchOutage(logger: KafkaLogger): FetchOutageTracker {
  return new OutageTracker({
    began: (error) => logger.warn({ err: error }, 'Cannot fetch from Kafka: retrying'),
    ended: () => logger.info({}, 'Fetching from Kafka works again'),
  });
}
