import type { EventRowBatch, KnownVersion } from '#store';

/** What decides the versions of missing rows of one partition. */
export interface MissingRows {
  /** Rows of the log in offset order, with every row of the range of each entity that has a missing row. */
  rows: EventRowBatch;
  /** Indexes of the rows that the store lacks. */
  missing: ReadonlySet<number>;
  /** Offsets of rows that took no version, because the store had rejected them. */
  rejected: ReadonlySet<number>;
  known: readonly KnownVersion[];
  /** Returns the offset below which the events of an entity are erased; later events start at version 1 again. */
  erasedBelow: (entity: string) => number;
  /** Whether every entity without an earlier event is new, because no event of the partition was ever removed. */
  isWhole: boolean;
  /** Whether no further range follows in which a version of the entity can be found. */
  isLast: boolean;
}

/** The versions of one entity that the store has. */
interface KnownOfEntity {
  /** Version by offset and event id, for rows of the range. */
  readonly at: Map<string, number>;
  /** The stored version with the greatest offset before the rows, and the one with the smallest offset after them. */
  before: KnownVersion | undefined;
  after: KnownVersion | undefined;
}

/**
 * Gives the missing rows the versions that they had: those that continue the stored versions of the entity around them.
 * Returns the indexes of the missing rows whose versions are not certain yet: no version of the entity before them is
 * stored, and further rows of the entity may follow before the next stored one.
 */
export function repairVersions(repair: MissingRows): Set<number> {
  const { rows, missing, rejected } = repair;
  const byEntity = new Map<string, number[]>();
  for (const row of missing) {
    const entity = rows.entityOf(row);
    if (entity !== null) byEntity.set(entity, []);
  }
  for (let row = 0; byEntity.size > 0 && row < rows.count; row++) {
    const entity = rows.entityOf(row);
    if (entity !== null && !rejected.has(rows.offsetOf(row))) byEntity.get(entity)?.push(row);
  }
  const undecided = new Set<number>();
  for (const [entity, own] of byEntity) {
    const versions = versionsOf(repair, entity, own);
    for (const [i, row] of own.entries()) {
      if (!missing.has(row)) continue;
      if (versions) rows.setVersion(row, versions[i]!);
      else undecided.add(row);
    }
  }
  return undecided;
}

/** Returns the version of each row of an entity, in offset order; undefined if the versions are not certain yet. */
function versionsOf(repair: MissingRows, entity: string, own: readonly number[]): number[] | undefined {
  const { rows, isWhole, isLast } = repair;
  const known = knownOf(repair, entity, own);
  const versions = own.map((row) => known.at.get(keyOf(rows.offsetOf(row), rows.eventIdOf(row))));
  const first = versions.findIndex((version) => version !== undefined);
  // The version of the first row: by the first known version of the rows, or by the versions around the rows.
  const byRows = first < 0 ? undefined : versions[first]! - first;
  const byBefore = known.before && known.before.version + 1;
  const byAfter = known.after && known.after.version - own.length;
  let next = [byRows, byBefore].find((version) => version !== undefined && version > 0) ?? 0;
  if (next === 0) {
    if (isWhole || byAfter === undefined || byAfter === 1) next = 1;
    else if (isLast) next = Math.max(1, byAfter);
    else return undefined;
  }
  const given: number[] = [];
  for (const version of versions) {
    given.push(version ?? next);
    next = given.at(-1)! + 1;
  }
  return given;
}

function knownOf(
  { rows, known, erasedBelow }: MissingRows,
  entity: string,
  own: readonly number[],
): KnownOfEntity {
  const from = rows.offsetOf(own[0]!);
  const until = rows.offsetOf(own.at(-1)!);
  const ids = new Map(own.map((row) => [rows.offsetOf(row), rows.eventIdOf(row)]));
  const end = erasedBelow(entity);
  const found: KnownOfEntity = { at: new Map(), before: undefined, after: undefined };
  for (const one of known) {
    const { offset, version, event_id } = one;
    if (one.entity_id !== entity || offset < end || version === 0) continue;
    if (offset < from && offset >= (found.before?.offset ?? 0)) found.before = one;
    if (offset > until && offset <= (found.after?.offset ?? Infinity)) found.after = one;
    // The latest version in `entities` has no event id.
    const id = event_id ?? ids.get(offset);
    if (id !== undefined) found.at.set(keyOf(offset, id), version);
  }
  return found;
}

function keyOf(offset: number, eventId: string): string {
  return `${offset} ${eventId}`;
}
