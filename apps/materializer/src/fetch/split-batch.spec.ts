import type { ConsumerRecord, RecordBatch } from '#kafka';
import { describe, expect, it } from 'vitest';
import { splitBatch } from './split-batch.js';

const batchOf = (offsets: number[], next: number, undecodable?: number[]): RecordBatch => ({
  ...{ topic: 't', partition: 0, bytes: 100 * offsets.length, next, highWatermark: 99 },
  records: offsets.map((offset) => ({ offset, headers: {} }) as ConsumerRecord),
  ...(undecodable && {
    undecodable: undecodable.map((offset) => ({ offset, lastOffset: offset, reason: 'damaged' })),
  }),
});

describe('splitBatch', () => {
  it('leaves a batch whole that is not longer than allowed', () => {
    const batch = batchOf([3, 4, 7], 9);
    expect(splitBatch(batch, 5)).toEqual([batch]);
    expect(splitBatch(batchOf([], 9), 5)).toEqual([batchOf([], 9)]);
  });

  it('cuts a batch into parts that follow each other', () => {
    const parts = splitBatch(batchOf([3, 4, 7, 8, 9, 20], 25), 5);
    expect(parts.map(({ records, next }) => [records.map(({ offset }) => offset), next])).toEqual([
      [[3, 4, 7], 8],
      [[8, 9], 20],
      [[20], 25],
    ]);
    expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(600);
  });

  it('cuts no batch within an atomic group', () => {
    const batch = batchOf([3, 4, 5, 6, 7, 8, 9], 10);
    for (const [index, record] of batch.records.slice(1, 5).entries())
      record.headers['atomic-group'] = Buffer.from(`${index}/4`);
    expect(splitBatch(batch, 3).map(({ records }) => records.map(({ offset }) => offset))).toEqual([
      [3, 4, 5, 6, 7],
      [8, 9],
    ]);
  });

  it('gives each undecodable range to one part', () => {
    const parts = splitBatch(batchOf([3, 8, 20], 25, [2, 7, 19, 24]), 5);
    expect(parts.map(({ undecodable }) => undecodable?.map(({ offset }) => offset))).toEqual([
      [2, 7],
      [19],
      [24],
    ]);
  });
});
