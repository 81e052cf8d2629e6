import type { Assignment } from '#log';
import { createLogger } from '#telemetry';
import { OwnedPartition } from './owned-partition.js';
import { Progress } from './progress.js';
import { Retry } from './retry.js';

/** Returns a partition of `orders` that is never revoked. Its commits do nothing. */
export function ownedPartition(more: Partial<Assignment> = {}): OwnedPartition {
  const assignment: Assignment = {
    ...{ topic: 'test.events.orders', partition: 0, position: 0, beginning: 0 },
    offsetAt: async () => 0,
    timestampAtPosition: async () => undefined,
    ...more,
  };
  return new OwnedPartition(assignment, {
    ...{ name: 'orders', closing: new AbortController().signal, progress: new Progress() },
    retry: new Retry({ logger: createLogger({ name: 'test', level: 'silent' }) }),
    commit: async () => true,
    onFailure: () => undefined,
    now: () => 0,
  });
}
