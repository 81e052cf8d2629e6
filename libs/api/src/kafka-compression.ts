import * as zlib from 'node:zlib';
import type { KafkaCompression } from '#kafka';
import { IsIn } from 'class-validator';
import { FollowsRule } from './config-rules.js';

/** The compiler asks here for each compression of Kafka. The values are not imported, because that would load kafkajs. */
const allCompressions: Record<KafkaCompression, true> = {
  zstd: true,
  gzip: true,
  lz4: true,
  snappy: true,
  none: true,
};

/** Values of `KAFKA_COMPRESSION`. */
export const kafkaCompressions = Object.keys(allCompressions) as KafkaCompression[];

/** Whether this Node compresses with Zstandard: since 22.15. */
export const canCompressWithZstd = 'zstdCompressSync' in zlib;

/** Validates that a setting is a compression that this Node has. */
export function IsKafkaCompression(): PropertyDecorator {
  const isKnown = IsIn(kafkaCompressions);
  const isSupported = FollowsRule('isSupportedCompression', (value) =>
    unsupported(value, canCompressWithZstd),
  );
  return (target, key) => {
    isKnown(target, key);
    isSupported(target, key);
  };
}

/** Returns what to do about a compression that this Node does not have; undefined if it has it. */
export function unsupported(compression: unknown, hasZstd: boolean): string | undefined {
  if (compression !== 'zstd' || hasZstd) return undefined;
  return `zstd needs Node 22.15 or later, and this is Node ${process.versions.node}: use gzip, lz4 or snappy, or a later Node`;
}
