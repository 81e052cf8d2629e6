import { unknownEpoch, type NewlyAssignedPartition } from '#kafka';
import { createLogger } from '#telemetry';
import { OwnedPartition } from './owned-partition.js';
import { StalledConsumerDetector } from './progress.js';
import { KafkaOrClickHouseRetrier } from './retry.js';

/** Returns a partition of `orders` that is never revoked. Commits of this partition do nothing. */
export function ownedPartition(more: Partial<NewlyAssignedPartition> = {}): OwnedPartition {
  const assignment: NewlyAssignedPartition = {
    ...{ topic: 'test.events.orders', partition: 0, position: 0, beginning: 0 },
    offsetAt: async () => 0,
    timestampAtPosition: async () => undefined,
    epochBefore: () => unknownEpoch,
    epochStartIn: () => undefined,
    lostBefore: async () => undefined,
    ...more,
  };
  return new OwnedPartition(assignment, {
    ...{ name: 'orders', closing: new AbortController().signal, progress: new StalledConsumerDetector() },
    retry: new KafkaOrClickHouseRetrier({ logger: createLogger({ name: 'test', level: 'silent' }) }),
    commit: async () => true,
    onFailure: () => undefined,
    now: () => 0,
  });
}
