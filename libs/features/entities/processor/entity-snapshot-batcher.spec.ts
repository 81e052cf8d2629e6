import { expect, it, vi } from 'vitest';
import { KafkaOrClickHouseRetrier } from '#engine';
import { createLogger } from '#telemetry';
import { MemoryStoreWithSnapshots } from '../snapshots/memory-entity-snapshots.fixture.js';
import { EntitySnapshotCountdowns } from './entity-snapshot-countdowns.js';
import { EntitySnapshotBatcher } from './entity-snapshot-batcher.js';
import type { PartitionDueSnapshots } from './entity-snapshot-round.js';

/** A maker whose pauses end when `endPause` is called, and the number of its rounds. */
function given() {
  const { snapshots, writer } = new MemoryStoreWithSnapshots();
  const rounds = vi.spyOn(snapshots, 'removedEvents');
  const logger = createLogger({ name: 'test', level: 'silent' });
  let endPause = (): void => undefined;
  const pause = (_ms: number, signal: AbortSignal) =>
    new Promise<void>((done) => {
      endPause = done;
      signal.addEventListener('abort', () => done());
    });
  const maker = new EntitySnapshotBatcher({
    ...{ snapshots, versions: writer, logger, pause, now: () => 0 },
    ...{ countdowns: new EntitySnapshotCountdowns(10), retry: new KafkaOrClickHouseRetrier({ logger }) },
  });
  return { maker, rounds, endPause: () => endPause() };
}

const workOf = (partition: number, isUrgent = false): PartitionDueSnapshots => ({
  ...{ stream: 's', partition, every: 8, due: [], lookups: [], removed: undefined, isUrgent },
});
const { signal } = new AbortController();

it('makes the snapshots of partitions that arrive in a pause together after the pause', async () => {
  const { maker, rounds, endPause } = given();
  await maker.make(workOf(0), signal);
  const later = [maker.make(workOf(0), signal), maker.make(workOf(1), signal)];
  expect(rounds).toHaveBeenCalledTimes(1);
  await Promise.resolve();
  endPause();
  const outcomes = await Promise.all(later);
  expect(outcomes.map(({ isStale }) => isStale)).toEqual([false, false]);
  expect(rounds).toHaveBeenCalledTimes(2);
});

it('ends a pause for a partition that waits for its snapshots', async () => {
  const { maker, rounds } = given();
  await maker.make(workOf(0), signal);
  const waiting = maker.make(workOf(0), signal);
  await maker.make(workOf(1, true), signal);
  await waiting;
  expect(rounds).toHaveBeenCalledTimes(2);
});

it('gives up the work of a revoked partition, and all work when it is closed', async () => {
  const { maker, rounds, endPause } = given();
  await maker.make(workOf(0), signal);
  const revoked = new AbortController();
  const abandoned = maker.make(workOf(1), revoked.signal);
  const other = maker.make(workOf(2), signal);
  revoked.abort(new Error('revoked'));
  await expect(abandoned).rejects.toThrow('revoked');
  maker.close();
  await expect(other).rejects.toThrow();
  endPause();
  expect(rounds).toHaveBeenCalledTimes(1);
});
