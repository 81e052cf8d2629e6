import { describe, expect, it } from 'vitest';
import { retentionConfig, streamTopicSettings } from './stream-topic.js';

describe('the settings of a stream topic', () => {
  it('keep all records if retention is unlimited', () => {
    expect(streamTopicSettings(8, 'unlimited')).toEqual({
      partitions: 8,
      config: {
        'cleanup.policy': 'delete',
        'max.message.bytes': '2097152',
        'retention.ms': '-1',
        'retention.bytes': '-1',
      },
    });
  });

  it('limit the time, and divide the bytes among the partitions', () => {
    const { config } = streamTopicSettings(4, { time: 'P1DT2H', bytes: 1001 });
    expect(config).toMatchObject({ 'retention.ms': String(26 * 3_600_000), 'retention.bytes': '251' });
  });

  it.each([
    ['1s', '60000'],
    ['1h', '900000'],
    ['30d', '604800000'],
    ['P1000D', '604800000'],
  ])('roll segments early enough for a retention of %s', (time, ms) => {
    expect(streamTopicSettings(1, { time }).config).toMatchObject({ 'segment.ms': ms });
    expect(streamTopicSettings(1, { time }).config).not.toHaveProperty('segment.bytes');
  });

  it.each([
    [1, '4194304'],
    [80_000_000, '20000000'],
    [1e15, '1073741824'],
  ])(
    'roll segments early enough for a retention of %d bytes, and large enough for the largest batch',
    (bytes, size) => {
      expect(streamTopicSettings(1, { bytes }).config).toMatchObject({ 'segment.bytes': size });
      expect(streamTopicSettings(1, { bytes }).config).not.toHaveProperty('segment.ms');
    },
  );

  it("restore Kafka's defaults", () => {
    const forever = { 'retention.ms': '-1', 'retention.bytes': '-1' };
    expect(retentionConfig(3, 'unlimited')).toEqual({
      ...forever,
      'segment.ms': null,
      'segment.bytes': null,
    });
  });
});
