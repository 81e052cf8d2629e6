import { describe, expect, it } from 'vitest';
import { durationMs, streamTopicSettings } from './stream-topic.js';

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

describe('a duration', () => {
  it.each([
    ['7d', 7 * 86_400_000],
    ['12h', 12 * 3_600_000],
    ['P30D', 30 * 86_400_000],
    ['PT12H', 12 * 3_600_000],
    ['P1DT1H1M1S', 90_061_000],
  ])('%s', (text, ms) => expect(durationMs(text)).toBe(ms));

  it.each(['', 'P', '0d', '7w', 'PT0S', 'P1Y', 'PT1.5H'])('is not %j', (text) => {
    expect(() => durationMs(text)).toThrow(RangeError);
  });
});
