export { aborted } from './aborted.js';
export {
  Checkpointer,
  type Checkpoint,
  type Checkpointed,
  type CheckpointerOptions,
} from './checkpointer.js';
export { CommitLine } from './commit-line.js';
export { consumerHealth, storingHealth } from './consumer-health.js';
export { Erasures, type KnownErasures } from './erasures.js';
export {
  LagMonitor,
  type FollowedPartition,
  type Lag,
  type LagGauge,
  type LagMonitorOptions,
} from './lag.js';
export { MaterializedOffset, type MaterializedPlace } from './materialized-offset.js';
export { OwnedPartition } from './owned-partition.js';
export { PartitionErasures } from './partition-erasures.js';
export { PartitionHost, type PartitionHostOptions } from './partition-host.js';
export { FencedError, type PartitionTask, type TaskFactory } from './partition-task.js';
export { Poll } from './poll.js';
export { Progress } from './progress.js';
export { Reconciler, type Reconciled } from './reconciler.js';
export { Retry, type RetryOptions } from './retry.js';
export { sampledRequests, type SampledRequest } from './sampled-requests.js';
export { Shutdown } from './shutdown.js';
export { showBatches } from './show-batches.js';
export { GarbageCollection, type GarbageCollectionOptions } from './garbage-collection.js';
export { inStoreSpans, type Followed, type StoreSpans } from './store-spans.js';
export { logTimeAt, warmUpStart } from './warm-up.js';
