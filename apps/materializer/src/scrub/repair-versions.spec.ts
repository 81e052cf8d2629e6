import { describe, expect, it } from 'vitest';
import type { EventRowBatch, KnownVersion } from '#store';
import { rowBatchOf, uuid } from '../row-batch.fixture.js';
import { repairVersions, type MissingRows } from './repair-versions.js';

const rowsOf = (entities: Record<number, string>): EventRowBatch =>
  rowBatchOf(
    { stream: 'orders#1', partition: 0 },
    Object.entries(entities).map(([offset, entity_id]) => ({ offset: Number(offset), entity_id })),
  );

const known = (offset: number, version: number, entity_id = 'a'): KnownVersion => ({
  ...{ entity_id, offset, version, event_id: uuid(offset) },
});

/** Returns the versions of the missing rows by offset; null for those that are not certain yet. */
function repaired(
  rows: EventRowBatch,
  missing: readonly number[],
  more: Partial<MissingRows>,
): Record<number, number | null> {
  const indexes = new Set(missing.map((offset) => rows.rows().findIndex((row) => row.offset === offset)));
  const undecided = repairVersions({
    ...{ rows, missing: indexes, rejected: new Set(), known: [], erasedBelow: () => 0 },
    ...{ isWhole: false, isLast: false, ...more },
  });
  return Object.fromEntries(
    [...indexes].map((row) => [rows.offsetOf(row), undecided.has(row) ? null : rows.versionOf(row)]),
  );
}

describe('repairVersions', () => {
  const rows = () => rowsOf({ 10: 'a', 11: 'b', 12: 'a', 14: 'a', 15: 'a' });

  it('counts on from the stored row before, and back from the stored row after', () => {
    expect(repaired(rows(), [10, 14, 15], { known: [known(12, 7)] })).toEqual({ 10: 6, 14: 8, 15: 9 });
  });

  it('continues the last version before the range, also one that only the latest version of the entity has', () => {
    expect(repaired(rows(), [10, 12], { known: [known(3, 4)] })).toEqual({ 10: 5, 12: 6 });
    const head = { ...known(3, 4), event_id: null };
    expect(repaired(rows(), [10, 12], { known: [head] })).toEqual({ 10: 5, 12: 6 });
    expect(repaired(rows(), [15], { known: [{ ...known(15, 9), event_id: null }] })).toEqual({ 15: 9 });
  });

  it('ignores an event of another topic at the same offset', () => {
    const other = { ...known(12, 7), event_id: uuid(99) };
    expect(repaired(rows(), [12, 14], { known: [known(10, 2), other] })).toEqual({ 12: 3, 14: 4 });
  });

  it('gives a rejected row no version', () => {
    const rejected = new Set([12]);
    expect(repaired(rows(), [14, 15], { known: [known(10, 1)], rejected })).toEqual({ 14: 2, 15: 3 });
  });

  it('starts at 1 after an erasure, and for an entity of which nothing was removed', () => {
    const erasedBelow = () => 10;
    expect(repaired(rows(), [10], { known: [known(3, 4)], erasedBelow })).toEqual({ 10: 1 });
    expect(repaired(rows(), [10], { known: [known(90, 40)], isWhole: true })).toEqual({ 10: 1 });
  });

  it('waits for later rows if events before may have been removed, and decides when they are there', () => {
    const after = [known(90, 8)];
    const missing = [10, 12, 14, 15];
    const none = { 10: null, 12: null, 14: null, 15: null };
    expect(repaired(rows(), missing, { known: after })).toEqual(none);
    const versions = { 10: 4, 12: 5, 14: 6, 15: 7 };
    expect(repaired(rows(), missing, { known: after, isLast: true })).toEqual(versions);
    expect(repaired(rows(), missing, { known: [known(90, 5)] })).toEqual({ 10: 1, 12: 2, 14: 3, 15: 4 });
  });

  it('keeps the versions of entities apart, and gives an event without an entity none', () => {
    const two = [known(10, 3), known(4, 8, 'b')];
    expect(repaired(rows(), [11, 12], { known: two })).toEqual({ 11: 9, 12: 4 });
    const without = rowBatchOf({ stream: 'orders#1', partition: 0 }, [{ offset: 1 }]);
    expect(repaired(without, [1], {})).toEqual({ 1: 0 });
  });
});
