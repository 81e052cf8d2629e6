import { erasedSkipped } from '../metrics/materializer-metrics.js';
import type { MaterializedPartition, PendingBatch } from '../partition/materialized-partition.js';

/**
 * Removes rows of erased entities from batches that are about to be inserted. The removed rows were built before this
 * process knew of the erasure. Later events of an erased entity start at version 1 again, as after a rebuild. The
 * versions of later events are lowered in all batches that are not stored yet.
 */
export function eraseUnstored(batches: readonly PendingBatch[]): void {
  for (const state of new Set(batches.map((batch) => batch.state)))
    eraseInPartition(
      state,
      batches.filter((batch) => batch.state === state),
    );
}

function eraseInPartition(state: MaterializedPartition, batches: readonly PendingBatch[]): void {
  const { erasures, versions } = state;
  if (erasures.any && batches.some(({ asOf }) => asOf !== erasures.asOf)) {
    const lowered = new Map<string, number>();
    for (const batch of state.unstored) {
      const erased = renumber(state, batch, lowered);
      if (!batches.includes(batch) || erased.size === 0) continue;
      batch.rows = batch.rows.without(erased);
      erasedSkipped.inc({ stream: state.name }, erased.size);
    }
    for (const [entity, by] of lowered) {
      const latest = versions.get(entity);
      if (latest) latest.version -= by;
    }
  }
  for (const batch of batches) batch.asOf = erasures.asOf;
}

/**
 * Lowers the versions of the rows that follow an erasure, and returns the indexes of the erased rows.
 * @param lowered For each entity, the number by which its versions are lowered; this function adds further entities.
 */
function renumber(
  state: MaterializedPartition,
  { rows }: PendingBatch,
  lowered: Map<string, number>,
): ReadonlySet<number> {
  const erased = new Set<number>();
  for (let row = 0; row < rows.count; row++) {
    const entity = rows.entityOf(row);
    const end = entity === null ? 0 : state.erasures.endOf(entity);
    if (entity === null || end === 0) continue;
    if (rows.offsetOf(row) < end) erased.add(row);
    else if (isAllUnstored(state, end)) {
      const by = lowered.get(entity) ?? rows.versionOf(row) - 1;
      lowered.set(entity, by);
      rows.setVersion(row, rows.versionOf(row) - by);
    }
  }
  return erased;
}

/**
 * Returns whether no event of the partition at or after this offset is stored. Stored events keep their versions, and
 * later events of the same entities continue from those versions.
 */
function isAllUnstored({ versions, stored }: MaterializedPartition, from: number): boolean {
  return from >= versions.storedUpTo && !stored.mayHave(from);
}
