import type { PartitionAssignment } from '#log';
import { createLogger } from '#telemetry';
import { OwnedPartition } from './owned-partition.js';
import { ConsumerProgress } from './progress.js';
import { EngineRetry } from './retry.js';

/** Returns a partition of `orders` that is never revoked. Commits of this partition do nothing. */
export function ownedPartition(more: Partial<PartitionAssignment> = {}): OwnedPartition {
  const assignment: PartitionAssignment = {
    ...{ topic: 'test.events.orders', partition: 0, position: 0, beginning: 0 },
    offsetAt: async () => 0,
    timestampAtPosition: async () => undefined,
    ...more,
  };
  return new OwnedPartition(assignment, {
    ...{ name: 'orders', closing: new AbortController().signal, progress: new ConsumerProgress() },
    retry: new EngineRetry({ logger: createLogger({ name: 'test', level: 'silent' }) }),
    commit: async () => true,
    onFailure: () => undefined,
    now: () => 0,
  });
}
