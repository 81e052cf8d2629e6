import { Outage } from '#async';
import type { KafkaLogger } from '../logger.js';
import type { PartitionFeed } from './partition-feed.js';

/** The partitions of one process that cannot be fetched. */
export type FetchOutage = Outage<PartitionFeed>;

/** One line in the log when fetching begins to fail, one when all goes on, whatever the number of consumers and tries. */
export function fetchOutage(logger: KafkaLogger): FetchOutage {
  return new Outage({
    began: (error) => logger.warn({ err: error }, 'Fetching from Kafka fails: trying again until it goes on'),
    ended: () => logger.info({}, 'Fetching from Kafka goes on'),
  });
}
