import { gzipCodec } from './gzip-codec.js';
import type { KafkaCompression } from './kafka-compression.js';
import { lz4Codec } from './lz4-codec.js';
import type { RecordCodec } from './record-codec.js';
import { snappyCodec } from './snappy-codec.js';
import { zstdCodec } from './zstd-codec.js';

/** Codecs by compression; undefined for records that are not compressed. */
const codecs: Record<KafkaCompression, RecordCodec | undefined> = {
  none: undefined,
  gzip: gzipCodec,
  snappy: snappyCodec,
  lz4: lz4Codec,
  zstd: zstdCodec,
};

const codecMask = 0x07;
const byId = new Map(Object.values(codecs).flatMap((codec) => (codec ? [[codec.id, codec] as const] : [])));

/** Returns the codec that compresses records; undefined if they are not compressed. */
export function codecOf(compression: KafkaCompression): RecordCodec | undefined {
  return codecs[compression];
}

/**
 * Returns the codec of a record batch from its attributes; `none` if its records are not compressed, undefined for an
 * unknown codec.
 */
export function codecOfBatch(attributes: number): RecordCodec | 'none' | undefined {
  const id = attributes & codecMask;
  return id === 0 ? 'none' : byId.get(id);
}
