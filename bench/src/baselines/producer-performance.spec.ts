import { describe, expect, it } from 'vitest';
import { parseRecordsPerSecond } from './producer-performance.js';

describe('the output of ProducerPerformance', () => {
  it('ends with the rate of the whole run, after the rates of its intervals', () => {
    const output = [
      '1200000 records sent, 240000.0 records/sec (64.09 MB/sec), 3.1 ms avg latency, 250.0 ms max latency.',
      '2000000 records sent, 440528.634361 records/sec (117.6 MB/sec), 2.10 ms avg latency, 250.00 ms max latency, 1 ms 50th.',
    ].join('\n');
    expect(parseRecordsPerSecond(output)).toBeCloseTo(440528.634361);
  });

  it('is an error without a rate', () => {
    expect(() => parseRecordsPerSecond('Exception in thread "main"')).toThrow('printed no rate');
  });
});
