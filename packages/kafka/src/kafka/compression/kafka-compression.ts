import * as zlib from 'node:zlib';

/** The compressions of Kafka, the one that saves most first. */
export const kafkaCompressions = ['zstd', 'gzip', 'lz4', 'snappy', 'none'] as const;

/** How the records of a Kafka record batch are compressed. */
export type KafkaCompression = (typeof kafkaCompressions)[number];

/** Whether this Node compresses with Zstandard: since 22.15. Every Node decompresses it. */
export const canCompressWithZstd = 'zstdCompressSync' in zlib;
