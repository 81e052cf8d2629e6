import { describe, expect, it } from 'vitest';
import { streamTopicSettings } from './stream-topic.js';

describe('the settings of a stream topic', () => {
  it('keep everything when retention is unlimited', () => {
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

  it('bound the time, and share the bytes out among the partitions', () => {
    const { config } = streamTopicSettings(4, { time: 'P1DT2H', bytes: 1001 });
    expect(config).toMatchObject({ 'retention.ms': String(26 * 3_600_000), 'retention.bytes': '251' });
  });
});
