import { PartitionErasureLookup } from '#engine';
import { MemoryErasures, noErasures } from '#engine/memory';
import { atomicGroupHeader, encodeRecord, encodeRejectedEvent, expectedVersionHeader } from '#event';
import type { ConsumerRecord } from '#kafka';
import type { EventRow } from '#store';
import { IdHistory, IdWindow, MemoryBudget } from '#dataflow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PartitionRowBuilder, type SuspectedDuplicateIds } from './partition-row-builder.js';
import { EntityVersionCache, type LatestEntityVersion } from '../number/entity-version-cache.js';

/** The verdicts on the records of the partition. */
interface GivenVerdicts {
  decided: number;
  isRefused(offset: number): boolean;
}

const bounds = { records: 1000, milliseconds: 60_000 };
const uuid = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

function recordOf(
  offset: number,
  made: {
    id?: number;
    entity?: string | null;
    value?: Buffer | null;
    expected?: number | string;
    group?: string;
  },
): ConsumerRecord {
  const { id = offset, entity = null } = made;
  const value = encodeRecord({
    event_id: uuid(id),
    event_type: 'happened',
    entity_id: entity,
    timestamp: 1_795_000_000_000_000,
    ingested_at: 1_795_000_000_000_000 + offset,
    schema_version: null,
    metadata: '{}',
    data: `{"offset":${offset}}`,
  });
  return {
    topic: 't',
    partition: 2,
    offset,
    key: null,
    value: made.value === undefined ? Buffer.from(value) : made.value,
    timestamp: 1_795_000_000_000 + offset,
    headers: {
      ...(made.expected !== undefined && { [expectedVersionHeader]: Buffer.from(`${made.expected}`) }),
      ...(made.group !== undefined && { [atomicGroupHeader]: Buffer.from(made.group) }),
    },
  };
}

/**
 * Returns a `PartitionRowBuilder` whose committed offset is `position`. `versionsBefore` returns the stored version of
 * an entity.
 */
function foldFrom(
  position: number,
  known: {
    stored?: number[];
    versionsBefore?(entity: string): number;
    erased?: MemoryErasures;
    verdicts?: GivenVerdicts;
    /** The stored events by id, for the look-up of far duplicates. */
    offsets?(id: string): number[];
    limits?: { records: number; milliseconds: number; far: number };
    looked?: SuspectedDuplicateIds[];
    isMarked?: boolean;
  } = {},
) {
  const { far, ...near } = { far: 0, ...(known.limits ?? bounds) };
  const versions = new EntityVersionCache(1000).open({ fromTheStart: position === 0 });
  versions.storedUpTo = position;
  const history = new IdHistory({ milliseconds: far }, new MemoryBudget(1e6));
  const window = new IdWindow(near, (ids, at, record) => history.add(ids, at, record));
  const fold = new PartitionRowBuilder({
    ...{ topic: 't', stream: 's', partition: 2, position, versions, window, history },
    verdicts: {
      decidedUntil: () => known.verdicts?.decided ?? 0,
      isRefused: (_, offset) => known.verdicts?.isRefused(offset) ?? false,
    },
    erasures: new PartitionErasureLookup(known.erased ?? noErasures, { stream: 's#1', partition: 2 }),
  });
  return (records: ConsumerRecord[]) => {
    const heads = [...fold.entitiesToCompare(records)].map((entity): [string, LatestEntityVersion] => [
      entity,
      versions.get(entity) ?? {
        version: known.versionsBefore?.(entity) ?? 0,
        offset: (known.erased ?? noErasures).endOf({ stream: 's#1', partition: 2 }, entity),
      },
    ]);
    const isConditional = records.some(({ headers }) => expectedVersionHeader in headers);
    const steps = fold.admit(records, isConditional ? new Map(heads) : undefined, known.isMarked);
    let step = steps.next();
    while (!step.done) {
      known.looked?.push(step.value);
      step = steps.next(new Map(step.value.eventIds.map((id) => [id, known.offsets?.(id) ?? []])));
    }
    const admitted = step.value;
    for (const [entity, head] of admitted.unknown) head.version = known.versionsBefore?.(entity) ?? 0;
    const offsets = admitted.rows.rows().map(({ offset }) => offset);
    const stored = new Set([...offsets.keys()].filter((row) => known.stored?.includes(offsets[row]!)));
    return {
      rows: fold.number(admitted, stored).rows(),
      unreadable: admitted.unreadable,
      duplicates: admitted.duplicates,
      erased: admitted.erased,
      verdicts: admitted.verdicts,
      repeated: admitted.repeated,
    };
  };
}

const versionsOf = (rows: EventRow[]) => rows.map(({ offset, version }) => [offset, version]);

describe('PartitionRowBuilder', () => {
  it('turns a record into a row', () => {
    const { rows } = foldFrom(0)([recordOf(7, { id: 1, entity: 'e' })]);
    expect(rows).toEqual([
      {
        stream: 's',
        partition: 2,
        offset: 7,
        event_id: uuid(1),
        event_type: 'happened',
        entity_id: 'e',
        version: 1,
        timestamp: 1_795_000_000_000_000,
        ingested_at: 1_795_000_000_000_007,
        schema_version: null,
        metadata: '{}',
        data: '{"offset":7}',
      },
    ]);
  });

  it('continues the stored versions of each entity, and gives no version without an entity', () => {
    const fold = foldFrom(10, { versionsBefore: (entity) => (entity === 'old' ? 41 : 0) });
    const { rows } = fold(['old', 'new', null, 'old'].map((entity, i) => recordOf(10 + i, { entity })));
    expect(versionsOf(rows)).toEqual([
      [10, 42],
      [11, 1],
      [12, null],
      [13, 43],
    ]);
  });

  it('drops a repeated event id, which takes no version', () => {
    const { rows, duplicates } = foldFrom(0)([
      recordOf(0, { id: 5, entity: 'e' }),
      recordOf(1, { id: 5, entity: 'e' }),
      recordOf(2, { id: 6, entity: 'e' }),
    ]);
    expect(versionsOf(rows)).toEqual([
      [0, 1],
      [2, 2],
    ]);
    expect(duplicates).toBe(1);
  });

  it('adds ids below its position to the id window, and returns no rows for them', () => {
    const { rows, unreadable } = foldFrom(2)([
      recordOf(0, { id: 5 }),
      recordOf(1, { value: Buffer.from('junk') }),
      recordOf(2, { id: 5 }),
      recordOf(3, { id: 6 }),
    ]);
    expect([versionsOf(rows), unreadable]).toEqual([[[3, null]], []]);
  });

  it('skips the records of an entity up to the end of its erasure, and restarts its versions there', () => {
    const erased = new MemoryErasures();
    erased.erase('s', 'e', 4);
    const records = ['e', 'f', 'e', 'f', 'e', 'e'].map((entity, i) => recordOf(i, { entity }));
    const found = foldFrom(0, { erased })(records);
    expect(versionsOf(found.rows)).toEqual([
      [1, 1],
      [3, 2],
      [4, 1],
      [5, 2],
    ]);
    expect(found.erased).toBe(2);
  });

  it('restarts the versions of an entity that is erased during reading at the end of the erasure', () => {
    const erased = new MemoryErasures();
    const fold = foldFrom(0, { erased });
    fold(['e', 'e'].map((entity, i) => recordOf(i, { entity })));
    erased.erase('s', 'e', 3);
    const { rows } = fold(['e', 'e', 'e'].map((entity, i) => recordOf(i + 2, { entity })));
    expect(versionsOf(rows)).toEqual([
      [3, 1],
      [4, 2],
    ]);
  });

  it('continues the versions of an entity that it has read beyond the end of its erasure', () => {
    const erased = new MemoryErasures();
    const fold = foldFrom(0, { erased });
    fold(['e', 'e', 'e'].map((entity, i) => recordOf(i, { entity })));
    erased.erase('s', 'e', 2);
    expect(versionsOf(fold([recordOf(3, { entity: 'e' })]).rows)).toEqual([[3, 4]]);
  });

  it('keeps the id of an erased record, so that a repetition is dropped', () => {
    const erased = new MemoryErasures();
    erased.erase('s', 'e', 1);
    const { rows, duplicates } = foldFrom(0, { erased })([
      recordOf(0, { id: 5, entity: 'e' }),
      recordOf(1, { id: 5, entity: 'e' }),
    ]);
    expect([rows, duplicates]).toEqual([[], 1]);
  });

  it('counts the versions of stored rows, and does not return them', () => {
    const { rows } = foldFrom(0, { stored: [0, 2] })([0, 1, 2, 3].map((o) => recordOf(o, { entity: 'e' })));
    expect(versionsOf(rows)).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('returns records rejected at intake as unreadable, and skips those of erased entities', () => {
    const erased = new MemoryErasures();
    erased.erase('s', 'gone', 2);
    const refused = (offset: number, entity_id: string | null) => {
      const what = { refused: { code: 'c', detail: 'd', errors: [] }, form: 'raw', mapping: {}, text: '{' };
      const value = encodeRejectedEvent({ ...what, entity_id, event_id: uuid(offset), received_at: '' });
      return recordOf(offset, { value: Buffer.from(value) });
    };
    const records = [refused(0, 'gone'), refused(1, null), refused(2, 'gone'), recordOf(3, { id: 0 })];
    const found = foldFrom(0, { erased })(records);
    expect(found.unreadable.map(({ record, rejected: kept }) => [record.offset, kept?.entity_id])).toEqual([
      [1, null],
      [2, 'gone'],
    ]);
    // The id of a rejected event is not remembered, so a client may send the corrected event with the same id.
    expect([found.erased, found.duplicates, found.rows.length]).toEqual([1, 0, 1]);
  });

  it.each([
    ['no value', null, 'the record has no value'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'the value is not UTF-8'],
    ['something else', Buffer.from('[]'), expect.stringContaining('not those of an event') as string],
  ])('returns a record with %s as unreadable, and continues', (_what, value, error) => {
    const poison = recordOf(1, { value });
    const { rows, unreadable } = foldFrom(0)([recordOf(0, {}), poison, recordOf(2, {})]);
    expect(rows.map(({ offset }) => offset)).toEqual([0, 2]);
    expect(unreadable).toEqual([{ record: poison, error }]);
  });

  it('skips records that it gets again, without counting them as duplicates', () => {
    const fold = foldFrom(0);
    fold([recordOf(0, { entity: 'e' }), recordOf(1, { entity: 'e' })]);
    const again = fold([1, 2].map((o) => recordOf(o, { entity: 'e' })));
    expect([versionsOf(again.rows), again.duplicates]).toEqual([[[2, 3]], 0]);
  });

  it('yields the same rows for every start position and every division into batches', () => {
    const log = fc
      .array(fc.record({ id: fc.nat(20), entity: fc.option(fc.constantFrom('a', 'b', 'c')) }), {
        minLength: 1,
        maxLength: 60,
      })
      .map((list) => list.map((made, offset) => recordOf(offset, made)));
    fc.assert(
      fc.property(log, fc.nat(), fc.integer({ min: 1, max: 9 }), (records, at, size) => {
        const all = foldFrom(0)(records).rows;
        const position = at % records.length;
        const before = all.filter(({ offset }) => offset < position);
        const fold = foldFrom(position, {
          versionsBefore: (entity) => before.filter((row) => row.entity_id === entity).length,
        });
        const rows: EventRow[] = [];
        for (let i = 0; i < records.length; i += size) rows.push(...fold(records.slice(i, i + size)).rows);
        expect(rows).toEqual(all.filter(({ offset }) => offset >= position));
      }),
    );
  });
});

describe('PartitionRowBuilder with conditional records', () => {
  const accepted = (offset: number, version: number) => ({ offset, version });
  const refused = (offset: number, current_version: number) => ({ offset, current_version });

  it('accepts a record whose entity has the expected version where it stands, and refuses the others', () => {
    const { rows, verdicts } = foldFrom(0)([
      recordOf(0, { entity: 'e', expected: 0 }),
      recordOf(1, { entity: 'e', expected: 0 }),
      recordOf(2, { entity: 'e' }),
      recordOf(3, { entity: 'e', expected: 2 }),
      recordOf(4, { entity: 'f', expected: 1 }),
    ]);
    expect(versionsOf(rows)).toEqual([
      [0, 1],
      [2, 2],
      [3, 3],
    ]);
    expect(verdicts).toEqual([accepted(0, 1), refused(1, 1), accepted(3, 3), refused(4, 0)]);
  });

  it('compares with the stored version of an entity that is not cached', () => {
    const fold = foldFrom(10, { versionsBefore: () => 7 });
    const { rows, verdicts } = fold([
      recordOf(10, { entity: 'e', expected: 6 }),
      recordOf(11, { entity: 'e', expected: 7 }),
      recordOf(12, { entity: 'e' }),
    ]);
    expect(versionsOf(rows)).toEqual([
      [11, 8],
      [12, 9],
    ]);
    expect(verdicts).toEqual([refused(10, 7), accepted(11, 8)]);
  });

  it('does not remember the id of a refused record', () => {
    const { rows, verdicts, duplicates } = foldFrom(0)([
      recordOf(0, { id: 1, entity: 'e', expected: 5 }),
      recordOf(1, { id: 1, entity: 'e', expected: 0 }),
    ]);
    expect([versionsOf(rows), duplicates]).toEqual([[[1, 1]], 0]);
    expect(verdicts).toEqual([refused(0, 0), accepted(1, 1)]);
  });

  it('answers a repeated id as the accepted event, whatever it expects', () => {
    const { rows, verdicts, repeated } = foldFrom(0)([
      recordOf(0, { id: 1, entity: 'e', expected: 0 }),
      recordOf(1, { id: 1, entity: 'e', expected: 0 }),
      recordOf(2, { id: 1, entity: 'e', expected: 9 }),
    ]);
    expect(versionsOf(rows)).toEqual([[0, 1]]);
    expect(verdicts).toEqual([accepted(0, 1)]);
    expect(repeated.map(({ offset, isFar }) => [offset, isFar])).toEqual([
      [1, false],
      [2, false],
    ]);
  });

  it.each(['', '-1', 'x', '1.0'])('refuses a record with the invalid header %j', (expected) => {
    const { rows, verdicts } = foldFrom(0)([recordOf(0, { entity: 'e', expected })]);
    expect([rows, verdicts]).toEqual([[], [refused(0, 0)]]);
  });

  it('refuses a conditional record without an entity', () => {
    const { rows, verdicts } = foldFrom(0)([recordOf(0, { expected: 0 })]);
    expect([rows, verdicts]).toEqual([[], [refused(0, 0)]]);
  });

  it('keeps the verdicts that the log has, whatever the versions are now', () => {
    const verdicts: GivenVerdicts = { decided: 3, isRefused: (offset) => offset === 1 };
    const fold = foldFrom(0, { verdicts });
    const found = fold([
      recordOf(0, { entity: 'e', expected: 40 }),
      recordOf(1, { id: 9, entity: 'e', expected: 1 }),
      recordOf(2, { entity: 'e', expected: 41 }),
      recordOf(3, { id: 9, entity: 'e', expected: 2 }),
    ]);
    expect(versionsOf(found.rows)).toEqual([
      [0, 1],
      [2, 2],
      [3, 3],
    ]);
    expect(found.verdicts).toEqual([accepted(3, 3)]);
  });

  it('refuses a record that the group has passed without a verdict, and publishes this with the next verdicts', () => {
    const fold = foldFrom(3);
    const skipped = fold([recordOf(1, { id: 9, entity: 'e', expected: 0 }), recordOf(2, { entity: 'e' })]);
    expect([skipped.rows, skipped.verdicts]).toEqual([[], []]);
    const { rows, verdicts } = fold([recordOf(3, { id: 9, entity: 'e', expected: 0 })]);
    expect(versionsOf(rows)).toEqual([[3, 1]]);
    expect(verdicts).toEqual([refused(1, 0), accepted(3, 1)]);
  });

  it('refuses a conditional record that is not an event, because consumers wait for its verdict', () => {
    const { unreadable, verdicts } = foldFrom(0)([recordOf(0, { value: null, expected: 0 })]);
    expect([unreadable.length, verdicts]).toEqual([1, [refused(0, 0)]]);
  });

  it('expects version 0 after an erasure', () => {
    const erased = new MemoryErasures();
    const fold = foldFrom(0, { erased });
    fold([recordOf(0, { entity: 'e' }), recordOf(1, { entity: 'e' })]);
    erased.erase('s', 'e', 2);
    const { rows, verdicts } = fold([
      recordOf(2, { entity: 'e', expected: 2 }),
      recordOf(3, { entity: 'e', expected: 0 }),
    ]);
    expect(versionsOf(rows)).toEqual([[3, 1]]);
    expect(verdicts).toEqual([refused(2, 0), accepted(3, 1)]);
  });

  it('comes to the same rows and verdicts, however the log is cut into batches and wherever reading begins', () => {
    const logs = fc.array(
      fc.record({
        id: fc.nat(15),
        entity: fc.constantFrom('e', 'f', null),
        expected: fc.option(fc.nat(4), { nil: undefined }),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(logs, fc.array(fc.nat(5)), fc.nat(40), (made, cuts, restart) => {
        const records = made.map(({ expected, ...one }, offset) =>
          recordOf(offset, { ...one, ...(expected !== undefined && { expected }) }),
        );
        const whole = foldFrom(0)(records);
        const position = Math.min(restart, records.length);
        const refusedOnes = new Set(
          whole.verdicts.flatMap((one) => (one.current_version === undefined ? [] : [one.offset])),
        );
        const before = (entity: string) =>
          whole.rows.filter((row) => row.entity_id === entity && row.offset < position).length;
        const again = foldFrom(position, {
          versionsBefore: before,
          verdicts: { decided: position, isRefused: (offset) => refusedOnes.has(offset) },
        });
        const parts: ReturnType<typeof again>[] = [];
        for (let at = 0, i = 0; at < records.length; i++) {
          const count = (cuts[i % Math.max(cuts.length, 1)] ?? 0) + 1;
          parts.push(again(records.slice(at, at + count)));
          at += count;
        }
        const late = <T extends { offset: number }>(list: readonly T[]) =>
          list.filter(({ offset }) => offset >= position);
        expect(versionsOf(parts.flatMap(({ rows }) => rows))).toEqual(versionsOf(late(whole.rows)));
        expect(parts.flatMap(({ verdicts }) => verdicts)).toEqual(late(whole.verdicts));
      }),
      { numRuns: 300 },
    );
  });
});

describe('PartitionRowBuilder with far duplicates', () => {
  const limits = { records: 5, milliseconds: 60_000, far: 60_000 };
  const offsetOf = (id: string): number[] => [parseInt(id.slice(-12), 16)];
  const repeats = (offset: number) => ({ offset, repeated: 'far' });
  const range = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => recordOf(from + i, {}));

  it('refuses a record whose id has left the id window, if its event is stored', () => {
    const fold = foldFrom(0, { limits, offsets: offsetOf });
    fold(range(0, 20));
    const { rows, verdicts, duplicates } = fold([recordOf(20, { id: 3 }), recordOf(21, {})]);
    expect([rows.map(({ offset }) => offset), duplicates]).toEqual([[21], 1]);
    expect(verdicts).toEqual([repeats(20)]);
  });

  it('accepts a record whose id is not stored: it was erased, or the filter was wrong', () => {
    const fold = foldFrom(0, { limits });
    fold(range(0, 20));
    const { rows, verdicts, duplicates } = fold([recordOf(20, { id: 3 })]);
    expect([rows.length, verdicts, duplicates]).toEqual([1, [], 0]);
  });

  it('looks all ids of a batch up at once, also those that leave the id window within the batch', () => {
    const looked: SuspectedDuplicateIds[] = [];
    const fold = foldFrom(0, { limits, offsets: offsetOf, looked });
    fold(range(0, 20));
    const found = fold([2, 21, 14, 19, 3].map((id, i) => recordOf(20 + i, { id })));
    expect(looked.map(({ eventIds }) => eventIds)).toEqual([[2, 14, 3].map(uuid)]);
    // Record 19 is still in the id window. Record 14 was, until the record before left it.
    expect(found.verdicts).toEqual([20, 22, 24].map(repeats));
    expect([found.duplicates, found.rows.map(({ offset }) => offset)]).toEqual([4, [21]]);
  });

  it('builds the same rows while other partitions build theirs during the look-up', () => {
    const other = foldFrom(0);
    let n = 0;
    const offsets = (id: string): number[] => {
      other([recordOf(n++, { entity: 'another' })]);
      return offsetOf(id);
    };
    const records = [recordOf(20, { entity: 'e' }), recordOf(21, { id: 3 }), recordOf(22, { entity: 'e' })];
    const fold = foldFrom(0, { limits, offsets });
    fold(range(0, 20));
    const undisturbed = foldFrom(0);
    undisturbed(range(0, 20));
    expect(fold(records).rows).toEqual(undisturbed([records[0]!, records[2]!]).rows);
    expect(n).toBe(1);
  });

  it('refuses a record that was written back twice, however long ago, but not for the row of its lost offset', () => {
    const writtenBack = (offset: number, id: number, lost: number) => ({
      ...recordOf(offset, { id }),
      headers: { 'lost-offset': Buffer.from(String(lost)) },
    });
    const looked: SuspectedDuplicateIds[] = [];
    const fold = foldFrom(0, { offsets: (id) => (id === uuid(3) ? [3, 15] : offsetOf(id)), looked });
    const found = fold([writtenBack(20, 2, 2), writtenBack(21, 3, 3), recordOf(22, {})]);
    expect(looked).toEqual([{ eventIds: [uuid(2), uuid(3)], from: 0, until: 21 }]);
    expect(found.rows.map(({ offset }) => offset)).toEqual([20, 22]);
    expect([found.verdicts, found.duplicates]).toEqual([[repeats(21)], 1]);
  });

  it('does not remember the id of a refused record', () => {
    const fold = foldFrom(0, { limits, offsets: offsetOf });
    fold(range(0, 20));
    const found = fold([recordOf(20, { id: 3 }), recordOf(21, { id: 3 })]);
    expect(found.verdicts).toEqual([repeats(20), repeats(21)]);
  });

  it('accepts a record whose event is older than the far window', () => {
    const fold = foldFrom(0, { limits: { ...limits, milliseconds: 100, far: 48 }, offsets: offsetOf });
    fold(range(0, 40));
    const late = (offset: number, id: number) => ({
      ...recordOf(offset, { id }),
      timestamp: 1_795_000_000_100,
    });
    // 48 ms and the 4 ms of a slice.
    const found = fold([late(100, 39), late(101, 60), late(102, 47)]);
    expect(found.verdicts).toEqual([]);
    const again = foldFrom(0, { limits: { ...limits, milliseconds: 100, far: 48 }, offsets: offsetOf });
    again(range(0, 60));
    expect(again([late(100, 52), late(101, 40)]).verdicts).toEqual([repeats(100)]);
  });

  it('accepts a record whose event left the id window because of its age only', () => {
    const fold = foldFrom(0, { limits: { ...limits, milliseconds: 48, far: 48 }, offsets: offsetOf });
    fold(range(0, 5));
    // 50 ms later: outside the id window, and within the far window and its slice.
    const late = { ...recordOf(5, { id: 4 }), timestamp: recordOf(4, {}).timestamp + 50 };
    const found = fold([late]);
    expect([found.rows.length, found.verdicts]).toEqual([1, []]);
  });

  it('gives a conditional record the version of the event that it repeats, and refuses it to others', () => {
    const fold = foldFrom(0, { limits, offsets: offsetOf });
    fold(range(0, 20));
    const found = fold([recordOf(20, { id: 3, entity: 'e', expected: 7 })]);
    expect([found.rows, found.verdicts]).toEqual([[], []]);
    expect(found.repeated).toEqual([{ offset: 20, eventId: uuid(3), isFar: true }]);
  });

  it('keeps the decisions that the log has, without a look-up, and does not remember refused ids', () => {
    const looked: SuspectedDuplicateIds[] = [];
    const verdicts: GivenVerdicts = { decided: 22, isRefused: (offset) => offset === 20 };
    const fold = foldFrom(10, { limits, looked, verdicts });
    const { rows, duplicates } = fold([...range(5, 20), recordOf(20, { id: 3 }), recordOf(21, { id: 3 })]);
    expect(rows.map(({ offset }) => offset)).toEqual([...range(10, 20).map(({ offset }) => offset), 21]);
    expect([duplicates, looked]).toEqual([1, []]);
  });

  it('publishes what an operator has skipped before everything counts as decided', () => {
    const fold = foldFrom(3, { isMarked: true });
    const { verdicts } = fold([recordOf(1, { entity: 'e', expected: 0 }), recordOf(3, {})]);
    expect(verdicts).toEqual([{ offset: 1, current_version: 0 }]);
  });
});

describe('PartitionRowBuilder with atomic groups', () => {
  /** Returns the records of a group of these event ids. */
  const groupAt = (
    offset: number,
    { ids, expected, entity = 'e' }: { ids: number[]; expected: number; entity?: string },
  ): ConsumerRecord[] =>
    ids.map((id, i) =>
      recordOf(offset + i, { id, entity, expected: expected + i, group: `${i}/${ids.length}` }),
    );
  const refused = (offsets: number[], verdict: object) => offsets.map((offset) => ({ offset, ...verdict }));

  it('accepts a group whose entity has the expected version, and gives its events consecutive versions', () => {
    const { rows, verdicts } = foldFrom(0)([
      recordOf(0, { entity: 'e' }),
      ...groupAt(1, { ids: [1, 2, 3], expected: 1 }),
      recordOf(4, { entity: 'e' }),
    ]);
    expect(versionsOf(rows)).toEqual([0, 1, 2, 3, 4].map((offset) => [offset, offset + 1]));
    expect(verdicts).toEqual([1, 2, 3].map((offset) => ({ offset, version: offset + 1 })));
  });

  it('refuses all events of a group that expects another version, also one that expects the present one', () => {
    const { rows, verdicts } = foldFrom(0)([
      recordOf(0, { entity: 'e' }),
      ...groupAt(1, { ids: [1, 2, 3], expected: 0 }),
      ...groupAt(4, { ids: [1, 2, 3], expected: 1 }),
    ]);
    expect(versionsOf(rows)).toEqual([
      [0, 1],
      [4, 2],
      [5, 3],
      [6, 4],
    ]);
    expect(verdicts.slice(0, 3)).toEqual(refused([1, 2, 3], { current_version: 1 }));
  });

  it('answers a repeated group as the accepted one, whatever it expects', () => {
    const { rows, verdicts, repeated } = foldFrom(0)([
      ...groupAt(0, { ids: [1, 2], expected: 0 }),
      ...groupAt(2, { ids: [1, 2], expected: 0 }),
      ...groupAt(4, { ids: [1, 2], expected: 7 }),
    ]);
    expect([rows.length, verdicts.length]).toEqual([2, 2]);
    expect(repeated.map(({ offset, eventId }) => [offset, eventId])).toEqual([
      [2, uuid(1)],
      [3, uuid(2)],
      [4, uuid(1)],
      [5, uuid(2)],
    ]);
  });

  it('refuses a group of which only some events repeat accepted ones, and says so', () => {
    const fold = foldFrom(0);
    fold(groupAt(0, { ids: [1, 2], expected: 0 }));
    for (const [offset, ids] of [
      [2, [1, 3]],
      [4, [3, 2]],
      [6, [1, 2, 3]],
    ] as const) {
      const { rows, verdicts, repeated } = fold(groupAt(offset, { ids: [...ids], expected: 2 }));
      expect([rows, repeated]).toEqual([[], []]);
      expect(verdicts).toEqual(
        refused(
          [...ids.keys()].map((i) => offset + i),
          { current_version: 2, partial: true },
        ),
      );
    }
  });

  it('looks up far duplicates of the whole group before it decides', () => {
    const looked: SuspectedDuplicateIds[] = [];
    const limits = { records: 10, milliseconds: 60_000, far: 60_000 };
    const fold = foldFrom(0, {
      limits,
      looked,
      offsets: (id) => ({ [uuid(1)]: [0], [uuid(2)]: [1] })[id] ?? [],
    });
    fold(groupAt(0, { ids: [1, 2], expected: 0 }));
    fold(Array.from({ length: 20 }, (_, i) => recordOf(2 + i, { id: 100 + i })));
    const repeats = fold(groupAt(22, { ids: [1, 2], expected: 0 }));
    expect(repeats.repeated.map(({ offset, isFar }) => [offset, isFar])).toEqual([
      [22, true],
      [23, true],
    ]);
    const partial = fold(groupAt(24, { ids: [9, 2], expected: 2 }));
    expect(partial.verdicts).toEqual(refused([24, 25], { current_version: 2, partial: true }));
    expect(looked.length).toBeGreaterThan(0);
  });

  it('recognises a repeated group at the end of the id window, whatever must be looked up', () => {
    const limits = { records: 10, milliseconds: 60_000, far: 60_000 };
    const offsets = (id: string) => ({ [uuid(1)]: [0], [uuid(2)]: [1], [uuid(3)]: [2] })[id] ?? [];
    for (const ids of [
      [1, 2, 3],
      [3, 2, 1],
      [2, 3, 1],
      [3, 1, 2],
    ])
      for (let start = 8; start < 16; start++) {
        const fold = foldFrom(0, { limits, offsets });
        fold(groupAt(0, { ids: [1, 2, 3], expected: 0 }));
        fold(Array.from({ length: start - 3 }, (_, i) => recordOf(3 + i, { id: 100 + i })));
        const { rows, verdicts, repeated } = fold(groupAt(start, { ids, expected: 0 }));
        expect([rows, verdicts, repeated.length], `${ids.join()} at ${start}`).toEqual([[], [], 3]);
      }
  });

  it('continues a group whose first verdicts an earlier owner has published', () => {
    const owner = (refused: number[], versions: number, decided = 1) =>
      foldFrom(0, {
        verdicts: { decided, isRefused: (offset) => refused.includes(offset) },
        versionsBefore: () => versions,
      });
    const group = groupAt(0, { ids: [1, 2, 3], expected: 0 });
    expect(versionsOf(owner([], 0)(group).rows)).toEqual([0, 1, 2].map((offset) => [offset, offset + 1]));
    const rejected = owner([0], 0)(group);
    expect([rejected.rows, rejected.verdicts]).toEqual([[], refused([1, 2], { current_version: 0 })]);

    const repeating = owner([], 0, 3);
    const { rows, repeated } = repeating([
      ...groupAt(0, { ids: [1, 2], expected: 0 }),
      ...groupAt(2, { ids: [1, 2], expected: 0 }),
    ]);
    expect(versionsOf(rows)).toEqual([
      [0, 1],
      [1, 2],
    ]);
    expect(repeated.map(({ offset }) => offset)).toEqual([3]);
  });

  it('compares the version of a later record behind a decided record that is of no group', () => {
    const verdicts = { decided: 1, isRefused: () => false };
    const stray = recordOf(1, { id: 9, entity: 'e', expected: 7, group: '1/2' });
    const { rows, verdicts: made } = foldFrom(0, { verdicts })([recordOf(0, { entity: 'e' }), stray]);
    expect(versionsOf(rows)).toEqual([[0, 1]]);
    expect(made).toEqual([{ offset: 1, current_version: 1 }]);
  });

  const broken: [what: string, records: ConsumerRecord[]][] = [
    ['whose last record is missing', groupAt(0, { ids: [1, 2, 3], expected: 0 }).slice(0, 2)],
    ['whose first record is missing', groupAt(0, { ids: [1, 2, 3], expected: 0 }).slice(1)],
    [
      'with a gap',
      [
        recordOf(0, { id: 1, entity: 'e', expected: 0, group: '0/2' }),
        recordOf(2, { id: 2, entity: 'e', expected: 1, group: '1/2' }),
      ],
    ],
    [
      'with the record of another entity',
      [
        recordOf(0, { id: 1, entity: 'e', expected: 0, group: '0/2' }),
        recordOf(1, { id: 2, entity: 'f', expected: 1, group: '1/2' }),
      ],
    ],
    [
      'that has an event twice',
      [
        recordOf(0, { id: 1, entity: 'e', expected: 0, group: '0/2' }),
        recordOf(1, { id: 1, entity: 'e', expected: 1, group: '1/2' }),
      ],
    ],
    [
      'that does not expect consecutive versions',
      [
        recordOf(0, { id: 1, entity: 'e', expected: 0, group: '0/2' }),
        recordOf(1, { id: 2, entity: 'e', expected: 0, group: '1/2' }),
      ],
    ],
    [
      'without an entity',
      [recordOf(0, { id: 1, expected: 0, group: '0/2' }), recordOf(1, { id: 2, expected: 1, group: '1/2' })],
    ],
    ['with an invalid header', [recordOf(0, { id: 1, entity: 'e', expected: 0, group: '2/1' })]],
    [
      'with an unreadable record',
      [
        recordOf(0, { id: 1, entity: 'e', expected: 0, group: '0/2' }),
        recordOf(1, { value: Buffer.from('x'), expected: 1, group: '1/2' }),
      ],
    ],
  ];
  it.each(broken)('refuses every record of a group %s', (_what, records) => {
    const { rows, verdicts } = foldFrom(0)(records);
    expect(rows).toEqual([]);
    expect(verdicts).toEqual(records.map(({ offset }) => ({ offset, current_version: 0 })));
  });

  it('decides all records of every group alike, as a model does, for every division into batches and restart', () => {
    const item = fc.record({
      size: fc.integer({ min: 1, max: 4 }),
      first: fc.nat(8),
      expected: fc.nat(6),
      entity: fc.constantFrom('e', 'f'),
    });
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        (items, groupsAtOnce) => {
          const groups: ConsumerRecord[][] = [];
          let offset = 0;
          for (const { size, first, expected, entity } of items) {
            const ids = Array.from({ length: size }, (_, i) => first + i);
            const made =
              size === 1
                ? [recordOf(offset, { id: first, entity, expected })]
                : groupAt(offset, { ids, expected, entity });
            groups.push(made);
            offset += size;
          }
          // The model: the versions of each entity, and the accepted ids.
          const versions = new Map<string, number>();
          const accepted = new Set<number>();
          const model = items.map(({ size, first, expected, entity }) => {
            const ids = Array.from({ length: size }, (_, i) => first + i);
            const known = ids.filter((id) => accepted.has(id)).length;
            const isAccepted = known === 0 && expected === (versions.get(entity) ?? 0);
            if (isAccepted) {
              versions.set(entity, expected + size);
              for (const id of ids) accepted.add(id);
            }
            return isAccepted;
          });
          const decided = { decided: 0, refused: new Set<number>() };
          let rows: EventRow[] = [];
          for (let at = 0; at < groups.length; at += groupsAtOnce) {
            const records = groups.slice(at, at + groupsAtOnce).flat();
            // Each batch is read by a new owner, which has read the ids before it.
            const fold = foldFrom(records[0]!.offset, {
              versionsBefore: (entity) => rows.filter((row) => row.entity_id === entity).length,
              verdicts: { decided: decided.decided, isRefused: (one) => decided.refused.has(one) },
            });
            fold(groups.slice(0, at).flat());
            const made = fold(records);
            for (const verdict of made.verdicts)
              if ('current_version' in verdict) decided.refused.add(verdict.offset);
            decided.decided = records.at(-1)!.offset + 1;
            rows = [...rows, ...made.rows];
          }
          const stored = new Set(rows.map((row) => row.offset));
          expect(groups.map((records) => records.map((record) => stored.has(record.offset)))).toEqual(
            groups.map((records, i) => records.map(() => model[i])),
          );
        },
      ),
    );
  });
});
