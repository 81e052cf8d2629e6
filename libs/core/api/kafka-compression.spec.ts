import { describe, expect, it } from 'vitest';
import * as kafka from '#kafka';
import { AppConfig, ConfigError, loadConfig } from './config.js';
import { canCompressWithZstd, kafkaCompressions, unsupported } from './kafka-compression.js';

describe('KAFKA_COMPRESSION', () => {
  it('has the values that the log accepts', () => {
    expect(kafkaCompressions).toEqual(kafka.kafkaCompressions);
  });

  it('may be every compression that this Node has', () => {
    for (const KAFKA_COMPRESSION of kafkaCompressions) {
      if (KAFKA_COMPRESSION === 'zstd' && !canCompressWithZstd) continue;
      expect(loadConfig(AppConfig, { KAFKA_COMPRESSION })).toMatchObject({ KAFKA_COMPRESSION });
    }
  });

  it('has a default that every Node supports', () => {
    expect(unsupported(loadConfig(AppConfig, {}).KAFKA_COMPRESSION, false)).toBeUndefined();
  });

  it('says what to do if this Node does not have the compression', () => {
    expect(unsupported('zstd', true)).toBeUndefined();
    expect(unsupported('zstd', false)).toBe(
      `zstd needs Node 22.15 or later, and this is Node ${process.versions.node}: use gzip, lz4 or snappy, or a later Node`,
    );
  });

  it.runIf(!canCompressWithZstd)('stops the app at its start if it is zstd and Node does not have it', () => {
    expect(() => loadConfig(AppConfig, { KAFKA_COMPRESSION: 'zstd' })).toThrow(
      /KAFKA_COMPRESSION is "zstd", but: zstd needs Node 22\.15/,
    );
  });

  it('is rejected if there is no such compression', () => {
    expect(() => loadConfig(AppConfig, { KAFKA_COMPRESSION: 'brotli' })).toThrow(ConfigError);
  });
});
