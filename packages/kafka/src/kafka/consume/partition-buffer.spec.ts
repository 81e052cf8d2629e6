import { describe, expect, it } from 'vitest';
import type { RecordBatch } from '../../log.js';
import { PartitionBuffer } from './partition-buffer.js';

const batch = (next: number): RecordBatch => ({
  topic: 't',
  partition: 0,
  records: [],
  bytes: 0,
  next,
  highWatermark: 9,
});
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function bufferThatWaitsFor(held: Promise<void>): { buffer: PartitionBuffer; delivered: number[] } {
  const delivered: number[] = [];
  const buffer = new PartitionBuffer({
    topic: 't',
    partition: 0,
    from: 0,
    deliver: ({ next }) => {
      delivered.push(next);
      return held;
    },
    onError: () => undefined,
  });
  return { buffer, delivered };
}

describe('the buffer of a partition', () => {
  it('keeps one batch besides the one that is processed, and releases each when it is done', async () => {
    let release: () => void = () => undefined;
    const { buffer, delivered } = bufferThatWaitsFor(new Promise((resolve) => (release = resolve)));
    const freed: number[] = [];
    buffer.offer(batch(1), () => freed.push(1));
    expect(buffer.wantsMore).toBe(true);
    buffer.offer(batch(2), () => freed.push(2));
    expect(buffer.wantsMore).toBe(false);
    await soon();
    expect([delivered, freed]).toEqual([[1], []]);
    release();
    await soon();
    expect([delivered, freed]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('delivers a batch that arrives at the moment when it becomes idle', async () => {
    const { buffer, delivered } = bufferThatWaitsFor(Promise.resolve());
    const next = (): void => buffer.offer(batch(2), () => undefined);
    buffer.offer(batch(1), () => void Promise.resolve().then(next));
    await soon();
    expect(delivered).toEqual([1, 2]);
    expect(buffer.wantsMore).toBe(true);
  });

  it('releases the waiting batch when it is closed, and accepts no further batch', async () => {
    let release: () => void = () => undefined;
    const { buffer, delivered } = bufferThatWaitsFor(new Promise((resolve) => (release = resolve)));
    const freed: number[] = [];
    buffer.offer(batch(1), () => freed.push(1));
    buffer.offer(batch(2), () => freed.push(2));
    const closing = buffer.close();
    buffer.offer(batch(3), () => freed.push(3));
    expect(freed).toEqual([2, 3]);
    release();
    await closing;
    expect([delivered, freed]).toEqual([[1], [2, 3, 1]]);
  });
});
