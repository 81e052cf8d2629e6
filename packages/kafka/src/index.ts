export * from './errors.js';
export {
  canCompressWithZstd,
  kafkaCompressions,
  type KafkaCompression,
} from './kafka/compression/kafka-compression.js';
export { headerOf } from './kafka/consume/header-of.js';
export * from './kafka/kafka-log-options.js';
export * from './kafka/kafka-log.js';
export type { KafkaLogger } from './kafka/logger.js';
export * from './log.js';
export { partitionKey } from './partition-key.js';
export type { TopicPartition } from './topic-partition.js';
