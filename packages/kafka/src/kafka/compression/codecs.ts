import * as zlib from 'node:zlib';
import { lz4Codec } from './lz4-codec.js';
import { gzipCodec, zstdCodec } from './node-codecs.js';
import type { RecordCodec } from './record-codec.js';
import { snappyCodec } from './snappy-codec.js';

/** The compressions of Kafka, the one that saves most first. */
export const kafkaCompressions = ['zstd', 'gzip', 'lz4', 'snappy', 'none'] as const;

/** How the records of a Kafka record batch are compressed. */
export type KafkaCompression = (typeof kafkaCompressions)[number];

/** Whether this Node compresses with Zstandard: since 22.15. Every Node decompresses it. */
export const canCompressWithZstd = 'zstdCompressSync' in zlib;

const codecs = { gzip: gzipCodec, snappy: snappyCodec, lz4: lz4Codec, zstd: zstdCodec };
const codecMask = 0x07;
const byId = new Map(Object.values(codecs).map((codec) => [codec.id, codec]));

/** Returns the codec that compresses records; undefined if they are not compressed. */
export function codecOf(compression: KafkaCompression): RecordCodec | undefined {
  return compression === 'none' ? undefined : codecs[compression];
}

/** Returns the codec of a record batch from its attributes; `none` without compression, undefined for an unknown codec. */
export function codecOfBatch(attributes: number): RecordCodec | 'none' | undefined {
  const id = attributes & codecMask;
  return id === 0 ? 'none' : byId.get(id);
}
