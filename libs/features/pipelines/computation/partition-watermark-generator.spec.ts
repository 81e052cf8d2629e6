import { describe, expect, it } from 'vitest';
import { noWatermark, PartitionWatermarkGenerator } from './partition-watermark-generator.js';

const idleAfterMs = 30_000;
const second = 1_000_000;

function watermark(saved?: number): PartitionWatermarkGenerator {
  return new PartitionWatermarkGenerator({
    idleAfterMs,
    nowMs: 0,
    ...(saved === undefined ? {} : { watermark: saved }),
  });
}

describe('the watermark of a source partition', () => {
  it('is the time of its latest event', () => {
    const w = watermark();
    for (const time of [10, 30, 20]) w.read(time * second, 100 * second, 0);
    expect(w.value).toBe(30 * second);
    expect(w.progress({ nowMs: 1, atEnd: true })).toEqual({ watermark: 30 * second, idle: false });
  });

  it('does not advance past the ingestion time of an event dated in the future', () => {
    const w = watermark();
    w.read(1_000_000 * second, 100 * second, 0);
    expect(w.value).toBe(100 * second);
  });

  it('advances with the clock while the partition is idle', () => {
    const w = watermark();
    w.read(10 * second, 10 * second, 5_000);
    expect(w.progress({ nowMs: 34_999, atEnd: true }).idle).toBe(false);
    expect(w.progress({ nowMs: 35_000, atEnd: true })).toEqual({ watermark: 40 * second, idle: true });
    expect(w.progress({ nowMs: 36_500, atEnd: true })).toEqual({ watermark: 41.5 * second, idle: true });
  });

  it('is derived from the log again after the next event', () => {
    const w = watermark();
    w.read(10 * second, 10 * second, 0);
    expect(w.progress({ nowMs: 60_000, atEnd: true }).watermark).toBe(70 * second);
    expect(w.value).toBe(10 * second);
    w.read(12 * second, 61 * second, 60_100);
    expect(w.progress({ nowMs: 60_200, atEnd: true })).toEqual({ watermark: 12 * second, idle: false });
  });

  it('does not become idle while there are unread records, however long reading takes', () => {
    const w = watermark();
    w.read(10 * second, 10 * second, 0);
    expect(w.progress({ nowMs: 100_000, atEnd: false }).idle).toBe(false);
    expect(w.progress({ nowMs: 101_000, atEnd: true }).idle).toBe(false);
    expect(w.progress({ nowMs: 130_000, atEnd: true })).toEqual({ watermark: 40 * second, idle: true });
  });

  it('is noWatermark for a partition that never had an event, idle or not', () => {
    const w = watermark();
    expect(w.progress({ nowMs: 10, atEnd: true })).toEqual({ watermark: noWatermark, idle: false });
    expect(w.progress({ nowMs: 90_000, atEnd: true })).toEqual({ watermark: noWatermark, idle: true });
  });

  it('continues from the saved value, and becomes idle only after waiting again', () => {
    const w = watermark(7 * second);
    expect(w.progress({ nowMs: 29_999, atEnd: true })).toEqual({ watermark: 7 * second, idle: false });
    w.read(3 * second, 9 * second, 30_000);
    expect(w.value).toBe(7 * second);
  });
});
