import { KafkaOrClickHouseRetrier } from '#engine';
import { noErasures } from '#engine/memory';
import { encodeRecord, TopicAndGroupNames } from '#event';
import { unknownEpoch, type NewlyAssignedPartition, type ConsumerRecord } from '#kafka';
import { StoreUnavailableError } from '#store';
import { MemoryStore } from '#store/memory';
import { createLogger } from '#telemetry';
import { MemoryBudget } from '#dataflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { AssignedPartitions, type AssignedPartitionsOptions } from './assigned-partitions.js';
import type { MaterializedPartition } from './materialized-partition.js';
import { EntityVersionCache } from '../number/entity-version-cache.js';

const place = { topic: 't.events.s.1', partition: 3 };

function assignmentAt(position: number): NewlyAssignedPartition {
  return {
    ...place,
    position,
    beginning: 0,
    offsetAt: async () => 0,
    timestampAtPosition: async () => 1_795_000_000_000,
    epochBefore: () => unknownEpoch,
    epochStartIn: () => undefined,
    lostBefore: async () => undefined,
  };
}

const recordAt = (offset: number): ConsumerRecord => ({
  ...place,
  offset,
  key: null,
  value: Buffer.from(
    encodeRecord({
      event_id: `00000000-0000-4000-8000-${String(offset).padStart(12, '0')}`,
      event_type: 'happened',
      entity_id: 'e',
      timestamp: 1_795_000_000_000_000,
      ingested_at: 1_795_000_000_000_000,
      schema_version: null,
      metadata: '{}',
      data: '{}',
    }),
  ),
  timestamp: 1_795_000_000_000,
  headers: {},
});

describe('Assignments', () => {
  let dropped: MaterializedPartition[];
  const store = new MemoryStore();
  const logger = createLogger({ name: 'test', level: 'silent' });

  beforeEach(() => {
    dropped = [];
  });

  function assignments(options: Partial<AssignedPartitionsOptions> = {}): AssignedPartitions {
    return new AssignedPartitions({
      topics: new TopicAndGroupNames('t.'),
      writer: store.writer,
      inserted: async () => undefined,
      consumer: {
        commit: () => {
          throw new Error('nothing is committed here');
        },
      },
      recovery: { begin: async () => undefined },
      retry: new KafkaOrClickHouseRetrier({ logger, firstDelayMs: 1, longestDelayMs: 2 }),
      versions: new EntityVersionCache(100),
      erasures: noErasures,
      verdicts: { decidedUntil: () => 0, isRefused: () => false },
      window: { records: 5, milliseconds: 1000 },
      far: { milliseconds: 0 },
      farMemory: new MemoryBudget(0),
      now: () => 1_795_000_000_000,
      dropped: (state) => dropped.push(state),
      ...options,
    });
  }

  /**
   * Returns the state of a partition that is assigned at offset `from`, after its records below offset `to` are read.
   */
  async function readBetween(
    all: AssignedPartitions,
    from: number,
    to: number,
  ): Promise<MaterializedPartition> {
    await all.add(assignmentAt(from));
    const state = all.get(place.topic, place.partition)!;
    const records = Array.from({ length: to - from }, (_, i) => recordAt(from + i));
    state.builder.admit(records.slice(0, 3)).next();
    state.builder.admit(records.slice(3)).next();
    return state;
  }

  it('starts reading as far back as the id window needs', async () => {
    expect(await assignments().add(assignmentAt(20))).toBe(15);
  });

  it.each([10, 13, 17])(
    'keeps the state of a partition that was read from 10 to 17 and is assigned again at %i',
    async (position) => {
      const all = assignments();
      const state = await readBetween(all, 10, 17);
      all.revoke(place);
      expect([...all]).toEqual([]);
      expect(await all.add(assignmentAt(position))).toBe(position);
      expect(all.get(place.topic, place.partition)).toBe(state);
      expect([...all]).toEqual([state]);
      expect([dropped, state.ended.aborted]).toEqual([[], false]);
    },
  );

  it.each([
    [18, 'another process has committed further'],
    [9, 'the offset of the group was reset'],
  ])('creates a new state when a partition is assigned again at %i: %s', async (position) => {
    const all = assignments();
    const state = await readBetween(all, 10, 17);
    all.revoke(place);
    expect(await all.add(assignmentAt(position))).toBe(position - 5);
    expect(all.get(place.topic, place.partition)).not.toBe(state);
    expect([dropped, state.ended.aborted]).toEqual([[state], true]);
  });

  it('raises the known committed offset when a partition is assigned again', async () => {
    const all = assignments();
    const state = await readBetween(all, 10, 17);
    all.revoke(place);
    await all.add(assignmentAt(13));
    expect(state.commits.committed).toBe(13);
  });

  it('creates a new state when the first uncommitted record has changed, as in a recreated topic', async () => {
    const all = assignments();
    const state = await readBetween(all, 10, 17);
    all.revoke(place);
    const other = { ...assignmentAt(10), timestampAtPosition: async () => 1_795_000_000_001 };
    expect(await all.add(other)).toBe(5);
    expect([dropped, state.ended.aborted]).toEqual([[state], true]);
  });

  it('keeps no state of a partition that is revoked while it is being prepared', async () => {
    const versions = new EntityVersionCache(100);
    let [asked, answer] = [() => {}, () => {}];
    const begun = new Promise<void>((resolve) => (asked = resolve));
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const all = assignments({ versions });
    const adding = all.add({
      ...assignmentAt(10),
      timestampAtPosition: async () => {
        asked();
        await answered;
        return 1_795_000_000_000;
      },
    });
    await begun;
    all.revoke(place);
    answer();
    expect(await adding).toBe(10);
    expect([versions.opened, all.get(place.topic, place.partition)]).toEqual([0, undefined]);
  });

  it('creates a new state when no record had been read', async () => {
    const all = assignments();
    const state = await readBetween(all, 10, 10);
    all.revoke(place);
    expect(await all.add(assignmentAt(10))).toBe(5);
    expect(dropped).toEqual([state]);
  });

  it('discards the state of a partition that is not assigned again', async () => {
    const all = assignments({ keepMs: 10 });
    const state = await readBetween(all, 10, 17);
    all.revoke(place);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect([dropped, state.ended.aborted, all.get(place.topic, place.partition)]).toEqual([
      [state],
      true,
      undefined,
    ]);
  });

  it('waits for an unreachable store until the partition is revoked', async () => {
    const writer = Object.assign(Object.create(store.writer) as typeof store.writer, {
      lastStoredOffset: () => Promise.reject(new StoreUnavailableError('down')),
    });
    const all = assignments({ writer });
    const adding = all.add(assignmentAt(10));
    await new Promise((resolve) => setTimeout(resolve, 10));
    all.revoke(place);
    expect(await adding).toBe(10);
    expect([...all]).toEqual([]);
  });
});
