export * from './epoch-position.js';
export * from './errors.js';
export { canCompressWithZstd, kafkaCompressions, type KafkaCompression } from './kafka/compression/codecs.js';
export { headerOf } from './kafka/consume/record-decoder.js';
export * from './kafka/cluster/kafka-log-options.js';
export * from './kafka/kafka-log.js';
export type { KafkaLogger } from './kafka/cluster/logger.js';
export * from './log.js';
export { partitionKey, type TopicPartition } from './topic-partition.js';
