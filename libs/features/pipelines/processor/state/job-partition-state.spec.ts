import { describe, expect, it } from 'vitest';
import type { DeadLetter } from '#store';
import { ownedPartition } from '../../../../core/engine/owned-partition.fixture.js';
import { zeroCounts } from '../output/counts.js';
import {
  JobPartitionState,
  type JobPartitionStateOptions,
  type CompletedBatch,
} from './job-partition-state.js';
import type { OutputDeduplication } from '../output/output-deduplication.js';

const place = { owner: 'r', stage: '', stream: 'orders', partition: 0 };

const state = (more: Partial<JobPartitionStateOptions> = {}) =>
  new JobPartitionState({
    ...{ name: 'p', place, partition: ownedPartition(), from: 0, progress: undefined },
    now: () => 0,
    ...more,
  });

const letter = (offset: number): DeadLetter => ({
  ...{ source: 'pipeline:p', stream: 'orders', partition: 0, offset, reason: 'late_event' },
  ...{ error: '', event: '{}', created_at: 0 },
});

const batch = (next: number, watermark: number): CompletedBatch => ({
  ...{ next, watermark, state: '', timestamp: undefined },
  counts: { ...zeroCounts, failed: 1 },
  letters: [letter(next - 1)],
});

describe('PartitionState', () => {
  it('returns the changes since the start of the last save, and all counts', () => {
    const partition = state();
    partition.done(batch(1, 10));
    const first = partition.unsaved()!;
    expect(first).toMatchObject({ letters: [letter(0)], progress: { next: 1, failed: 1, watermark: 10 } });
    partition.done(batch(2, 20));
    first.saved();
    expect([partition.savedWatermark, partition.unsavedCount]).toEqual([10, 1]);
    const second = partition.unsaved()!;
    expect(second).toMatchObject({ letters: [letter(1)], progress: { next: 2, failed: 2, watermark: 20 } });
    second.saved();
    expect(partition.unsaved()).toBeUndefined();
  });

  it('keeps the checkpoint time from before a failover until the previous output has passed, for the next failover', () => {
    const before = { savedAt: 7, isOver: (next: number) => next >= 5 } as OutputDeduplication;
    const partition = state({ before, now: () => 100 });
    partition.done(batch(4, 10));
    expect(partition.unsaved()!.progress).toMatchObject({ next: 4, updated_at: 7 });
    partition.done(batch(5, 10));
    expect(partition.unsaved()!.progress).toMatchObject({ next: 5, updated_at: 100 });
  });

  it('continues the counts of each operator from the checkpoint', () => {
    const progress = { ...place, ...zeroCounts, next: 1, watermark: null, state: '', updated_at: 0 };
    const partition = state({
      progress: { ...progress, steps: { a: [2, 1, 1, 0, 0], former: [1, 1, 0, 0, 0] } },
    });
    const counts = { ...zeroCounts, steps: { a: [1, 1, 0, 0, 0], b: [3, 0, 0, 2, 1], c: [0, 0, 0, 0, 0] } };
    partition.done({ ...batch(2, 10), counts });
    expect(partition.unsaved()!.progress.steps).toEqual({
      ...{ a: [3, 2, 1, 0, 0], b: [3, 0, 0, 2, 1] },
      former: [1, 1, 0, 0, 0],
    });
  });

  it('keeps the counts of a bounded number of operators of former definitions', () => {
    const partition = state();
    const named = (version: number) =>
      Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${version}.${i}`, [1, 1, 0, 0, 0]]));
    for (let version = 0; version < 5; version++)
      partition.done({ ...batch(version + 1, 10), counts: { ...zeroCounts, steps: named(version) } });
    const { steps = {} } = partition.unsaved()!.progress;
    expect(Object.keys(steps).length).toBeLessThanOrEqual(100);
    expect(steps).toMatchObject(named(4));
  });

  it('returns all changes again when a save failed', () => {
    const partition = state();
    partition.done(batch(1, 10));
    partition.unsaved();
    partition.done(batch(2, 20));
    expect(partition.unsaved()).toMatchObject({ letters: [letter(0), letter(1)], progress: { next: 2 } });
  });
});
