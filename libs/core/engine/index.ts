export { aborted } from './aborted.js';
export { Checkpointer, type UnsavedTaskChanges, type CheckpointedTask } from './checkpointer.js';
export { OffsetCommitter } from './offset-committer.js';
export { ConsumerSettings } from './consumer-settings.js';
export { consumerHealth, blockedWriteHealth } from './consumer-health.js';
export { decodeLogRecord } from './decoded-record.js';
export { deadLettersWritten } from './dead-letter-metrics.js';
export { Erasures, PartitionErasureLookup, type ErasureLookup } from './erasures.js';
export { reportLostRecords } from './lost-records.js';
export { LagMonitor, type MeasuredPartition, type Lag, type LagGauge } from './lag.js';
export { MaterializedOffsetReader } from './materialized-offset.js';
export { OwnedPartition } from './owned-partition.js';
export { PartitionTaskHost } from './partition-host.js';
export { FencedError, type PartitionTask, type TaskFactory } from './partition-task.js';
export { BackgroundLoop } from './background-loop.js';
export { StalledConsumerDetector } from './progress.js';
export { Reconciler, type DefinitionRunner } from './reconciler.js';
export { KafkaOrClickHouseRetrier } from './retry.js';
export { sampledRequests, type SampledWriteRequest } from './sampled-write-requests.js';
export { WorkShutdown } from './shutdown.js';
export { trackBatches } from './track-batches.js';
export {
  createFlushTopic,
  followFlushRequests,
  sendFlushRequest,
  type FlushRequest,
} from './flush-requests.js';
export { GarbageCollection, type GarbageCollectionOptions } from './garbage-collection.js';
export { withWriteTrace, type StoreWriteSpanOptions } from './store-write-trace.js';
export { logTimeAt, warmUpStart } from './warm-up.js';
export { WriteBehindQueue } from './write-behind-queue.js';
