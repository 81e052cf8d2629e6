export { aborted } from './aborted.js';
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
export { PartitionErasures } from './partition-erasures.js';
export { Progress } from './progress.js';
export { Retry, type RetryOptions } from './retry.js';
export { sampledRequests, type SampledRequest } from './sampled-requests.js';
export { Shutdown } from './shutdown.js';
export { showBatches } from './show-batches.js';
export { inStoreSpans, type Followed, type StoreSpans } from './store-spans.js';
export { logTimeAt, warmUpStart } from './warm-up.js';
