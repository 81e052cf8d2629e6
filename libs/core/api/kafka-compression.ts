import * as zlib from 'node:zlib';
import type { KafkaCompression } from '#kafka';

/** Values of `KAFKA_COMPRESSION`: those of `#kafka`, which is not loaded here. */
export const kafkaCompressions: readonly KafkaCompression[] = ['zstd', 'gzip', 'lz4', 'snappy', 'none'];

/** Whether this Node compresses with Zstandard: since 22.15. */
export const canCompressWithZstd = 'zstdCompressSync' in zlib;

/** Returns what to do about a compression that this Node does not have; undefined if it has it. */
export function unsupported(compression: unknown, hasZstd = canCompressWithZstd): string | undefined {
  if (compression !== 'zstd' || hasZstd) return undefined;
  return `zstd needs Node 22.15 or later, and this is Node ${process.versions.node}: use gzip, lz4 or snappy, or a later Node`;
}
