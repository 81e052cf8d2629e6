import { describe, expect, it, vi } from 'vitest';
import type { PendingBatch } from '../partition/materialized-partition.js';
import { rowBatchOf } from '../row-batch.fixture.js';
import { InsertQueue, type InsertQueueOptions } from './insert-queue.js';
import type { MaterializedPartition } from '../partition/materialized-partition.js';

const stateOf = (partition: number, ended = new AbortController().signal) =>
  ({ partition, ended, unstored: [] as PendingBatch[] }) as MaterializedPartition;
const first = stateOf(0);

const chunk = (
  next: number,
  made: { rows?: number; bytes?: number; state?: MaterializedPartition; behind?: boolean } = {},
): PendingBatch => {
  const batch: PendingBatch = {
    state: made.state ?? first,
    rows: rowBatchOf(
      { stream: 's', partition: 0 },
      Array.from({ length: made.rows ?? 1 }, (_, offset) => ({ offset })),
    ),
    deadLetters: [],
    asOf: 0,
    next,
    timestamp: 0,
    behind: made.behind ?? false,
    bytes: made.bytes ?? 100,
  };
  batch.state.unstored.push(batch);
  return batch;
};

/**
 * Returns an insert queue whose inserts end when the spec calls `done`. `inserts` lists, for each insert, the `next`
 * offsets of its batches.
 */
function queueWith(options: Partial<InsertQueueOptions> = {}) {
  const inserts: number[][] = [];
  const ends: (() => void)[] = [];
  const failures: unknown[] = [];
  const queue = new InsertQueue({
    ...{ insertRows: 100, insertBytes: 10_000, intervalMs: 0, queueBytes: 5000 },
    write: async (chunks) => {
      inserts.push(chunks.map(({ next }) => next));
      await new Promise<void>((resolve) => ends.push(resolve));
    },
    onFailure: (error) => failures.push(error),
    ...options,
  });
  const done = async () => {
    ends.shift()!();
    await new Promise(setImmediate);
  };
  return { queue, inserts, done, failures };
}

const isPending = async (promise: Promise<unknown>) =>
  (await Promise.race([promise.then(() => 'resolved'), new Promise(setImmediate)])) !== 'resolved';

describe('InsertQueue', () => {
  it('inserts the first batch at once, and the batches that arrive meanwhile together in the next insert', async () => {
    const { queue, inserts, done } = queueWith();
    queue.add(chunk(1));
    await new Promise(setImmediate);
    for (const next of [2, 3]) queue.add(chunk(next));
    await new Promise(setImmediate);
    expect(inserts).toEqual([[1]]);
    await done();
    expect(inserts).toEqual([[1], [2, 3]]);
  });

  it('exceeds the bounds of an insert by at most one batch', async () => {
    const { queue, inserts, done } = queueWith({ queueBytes: 1e9 });
    queue.add(chunk(0));
    await new Promise(setImmediate);
    for (const next of [1, 2, 3]) queue.add(chunk(next, { rows: 60 }));
    for (const next of [4, 5]) queue.add(chunk(next, { bytes: 10_000 }));
    for (let i = 0; i < 4; i++) await done();
    expect(inserts).toEqual([[0], [1, 2], [3, 4], [5]]);
  });

  it('waits for more batches between inserts that are not full', async () => {
    const { queue, inserts, done } = queueWith({ intervalMs: 50 });
    queue.add(chunk(1));
    await new Promise(setImmediate);
    await done();
    queue.add(chunk(2));
    queue.add(chunk(3));
    await new Promise(setImmediate);
    expect(inserts).toEqual([[1]]);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(inserts).toEqual([[1], [2, 3]]);
  });

  it('waits fifteen times as long as the last insert took, but at most seven intervals', async () => {
    const { queue, inserts, done } = queueWith({ intervalMs: 10_000 });
    vi.useFakeTimers();
    try {
      queue.add(chunk(1));
      await vi.advanceTimersByTimeAsync(2_000);
      const ended = done();
      await vi.advanceTimersByTimeAsync(0);
      await ended;
      queue.add(chunk(2));
      await vi.advanceTimersByTimeAsync(27_000);
      expect(inserts).toEqual([[1]]);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(inserts).toEqual([[1], [2]]);
      // The duration of this insert is so long that fifteen times the duration would be minutes.
      await vi.advanceTimersByTimeAsync(20_000);
      const last = done();
      await vi.advanceTimersByTimeAsync(0);
      await last;
      queue.add(chunk(3));
      await vi.advanceTimersByTimeAsync(48_000);
      expect(inserts).toEqual([[1], [2]]);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(inserts).toEqual([[1], [2], [3]]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('waits only the interval if a reader waits, and as usual after that insert', async () => {
    const { queue, inserts, done } = queueWith({ intervalMs: 1_000 });
    vi.useFakeTimers();
    const ended = async () => {
      const end = done();
      await vi.advanceTimersByTimeAsync(0);
      await end;
    };
    try {
      queue.add(chunk(1));
      await vi.advanceTimersByTimeAsync(500);
      await ended();
      queue.add(chunk(2));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(inserts).toEqual([[1]]);
      queue.flushSoon();
      await vi.advanceTimersByTimeAsync(0);
      expect(inserts).toEqual([[1], [2]]);
      queue.flushSoon();
      await vi.advanceTimersByTimeAsync(500);
      await ended();
      queue.add(chunk(3));
      await vi.advanceTimersByTimeAsync(499);
      expect(inserts).toEqual([[1], [2]]);
      await vi.advanceTimersByTimeAsync(1);
      expect(inserts).toEqual([[1], [2], [3]]);
      await vi.advanceTimersByTimeAsync(500);
      await ended();
      queue.add(chunk(4));
      await vi.advanceTimersByTimeAsync(2_000);
      expect(inserts).toEqual([[1], [2], [3]]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('waits longer as long as the log has more records', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const { queue, inserts, done } = queueWith({ intervalMs: 40 });
      const other = stateOf(1);
      queue.add(chunk(1));
      await new Promise(setImmediate);
      await done();
      queue.add(chunk(2, { behind: true }));
      queue.add(chunk(3, { state: other, behind: true }));
      await vi.advanceTimersByTimeAsync(80);
      queue.add(chunk(4, { state: other }));
      expect(inserts).toEqual([[1]]);
      queue.add(chunk(5));
      await new Promise(setImmediate);
      expect(inserts).toEqual([[1], [2, 3, 4, 5]]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not wait forever for the records that the log has', async () => {
    const { queue, inserts, done } = queueWith({ intervalMs: 20 });
    queue.add(chunk(1));
    await new Promise(setImmediate);
    await done();
    queue.add(chunk(2, { behind: true }));
    await vi.waitFor(() => expect(inserts).toEqual([[1], [2]]), { timeout: 20_000, interval: 5 });
  });

  it('does not wait when an insert is full', async () => {
    const { queue, inserts, done } = queueWith({ intervalMs: 60_000 });
    queue.add(chunk(1));
    await new Promise(setImmediate);
    await done();
    queue.add(chunk(2));
    queue.add(chunk(3, { rows: 100 }));
    await new Promise(setImmediate);
    expect(inserts).toEqual([[1], [2, 3]]);
  });

  it('grants no permit beyond its bound of bytes until there is room', async () => {
    const { queue, done } = queueWith();
    queue.add(chunk(1, { bytes: 6000 }));
    const permit = queue.permit(first.ended, 10);
    expect(await isPending(permit)).toBe(true);
    await done();
    expect(await isPending(permit)).toBe(false);
    expect(queue.queuedBytes).toBe(0);
  });

  it('grants permits in the order of the calls while there is room', async () => {
    const { queue } = queueWith();
    const returnFirst = await queue.permit(first.ended, 3000);
    const returnSecond = await queue.permit(first.ended, 3000);
    const third = queue.permit(first.ended, 4000);
    const fourth = queue.permit(first.ended, 10);
    expect(await isPending(third)).toBe(true);
    returnFirst();
    expect(await isPending(third)).toBe(false);
    expect(await isPending(fourth)).toBe(true);
    returnSecond();
    returnSecond();
    expect(await isPending(fourth)).toBe(false);
  });

  it('keeps at most its bound and one batch in memory, for any number of partitions with a backlog', async () => {
    const queueBytes = 50_000;
    const write = () => new Promise<void>((resolve) => setImmediate(resolve));
    const { queue } = queueWith({ queueBytes, insertBytes: 20_000, write });
    const [partitions, batches, bytes] = [200, 5, 1000];
    let [making, most] = [0, 0];
    const note = () => (most = Math.max(most, making + queue.queuedBytes));
    const reading = Array.from({ length: partitions }, async (_, partition) => {
      const state = stateOf(partition);
      for (let batch = 0; batch < batches; batch++) {
        const returnPermit = await queue.permit(state.ended, bytes);
        making += bytes;
        note();
        await new Promise(setImmediate);
        making -= bytes;
        queue.add(chunk(batch, { state, bytes }));
        note();
        returnPermit();
      }
    });
    await Promise.all(reading);
    expect(most).toBeGreaterThan(queueBytes / 2);
    expect(most).toBeLessThanOrEqual(queueBytes + bytes);
  });

  it('grants no permit while added batches take the room', async () => {
    const { queue, done } = queueWith();
    const returnPermit = await queue.permit(first.ended, 3000);
    queue.add(chunk(1, { bytes: 6000 }));
    returnPermit();
    const next = queue.permit(first.ended, 10);
    expect(await isPending(next)).toBe(true);
    await done();
    expect(await isPending(next)).toBe(false);
  });

  it('grants permits of dropped partitions and of an abandoned queue without room', async () => {
    const { queue } = queueWith();
    const end = new AbortController();
    const revoked = stateOf(1, end.signal);
    await queue.permit(first.ended, 6000);
    const [of, other] = [queue.permit(revoked.ended, 10), queue.permit(first.ended, 10)];
    end.abort();
    queue.drop(revoked);
    expect([await isPending(of), await isPending(other)]).toEqual([false, true]);
    queue.abandon();
    expect(await isPending(other)).toBe(false);
  });

  it('discards the waiting batches of a dropped partition, which makes room', async () => {
    const { queue, inserts, done } = queueWith();
    const revoked = stateOf(1);
    queue.add(chunk(1));
    await new Promise(setImmediate);
    queue.add(chunk(2, { state: revoked, bytes: 6000 }));
    const permit = queue.permit(first.ended, 10);
    expect(await isPending(permit)).toBe(true);
    queue.drop(revoked);
    expect(await isPending(permit)).toBe(false);
    queue.add(chunk(3));
    await new Promise(setImmediate);
    await done();
    await done();
    expect(inserts).toEqual([[1], [3]]);
  });

  it('flushes without waiting for more batches', async () => {
    const { queue, inserts, done } = queueWith({ intervalMs: 60_000 });
    queue.add(chunk(1));
    await new Promise(setImmediate);
    await done();
    queue.add(chunk(2));
    await new Promise(setImmediate);
    const flushing = queue.flush();
    await new Promise(setImmediate);
    await done();
    await flushing;
    expect(inserts).toEqual([[1], [2]]);
  });

  it('writes nothing after a failed insert, and reports the failure once', async () => {
    const error = new Error('cannot go on');
    const { queue, failures } = queueWith({ write: () => Promise.reject(error) });
    const state = stateOf(1);
    queue.add(chunk(1, { state }));
    await queue.flush();
    queue.add(chunk(2, { state }));
    await queue.flush();
    expect(failures).toEqual([error]);
    expect(state.unstored.map(({ next }) => next)).toEqual([1, 2]);
  });
});
