import { expect, it } from 'vitest';
import type { ConsumerRecord } from '#kafka';
import { batchEnd } from './batch-end.js';

const recordsOf = (...sizes: number[]) =>
  sizes.map((size): ConsumerRecord => ({ value: Buffer.alloc(size) }) as ConsumerRecord);

it('ends a part after a thousand records', () => {
  const records = recordsOf(...Array<number>(1500).fill(10));
  expect(batchEnd(records, 0)).toEqual({ end: 1000, bytes: 10_000 });
  expect(batchEnd(records, 1000)).toEqual({ end: 1500, bytes: 5_000 });
});

it('ends a part before it exceeds a mebibyte', () => {
  const records = recordsOf(600_000, 400_000, 600_000);
  expect(batchEnd(records, 0).end).toBe(2);
  expect(batchEnd(records, 1).end).toBe(3);
});

it('takes at least one record of any size', () => {
  expect(batchEnd(recordsOf(2_000_000, 10), 0)).toEqual({ end: 1, bytes: 2_000_000 });
});
