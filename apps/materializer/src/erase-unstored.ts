import { metrics } from '#telemetry';
import type { Chunk } from './chunk.js';
import type { PartitionState } from './partition-state.js';

/**
 * Takes what was erased since it was folded out of the chunks that are about to be stored, all of one partition. Later
 * events of the same entities start at version 1 again, as in every rebuild, also in the chunks that wait.
 * @param unstored What of the partition is not stored yet, in order: `chunks` first.
 */
export function eraseUnstored(
  state: PartitionState,
  { chunks, unstored }: { chunks: readonly Chunk[]; unstored: readonly Chunk[] },
): void {
  const { erasures, versions } = state;
  if (erasures.any && chunks.some(({ asOf }) => asOf !== erasures.asOf)) {
    const lowered = new Map<string, number>();
    for (const chunk of unstored) {
      const erased = renumber(state, chunk, lowered);
      if (!chunks.includes(chunk) || erased.size === 0) continue;
      chunk.rows = chunk.rows.without(erased);
      metrics.erasedSkipped.inc({ stream: state.name }, erased.size);
    }
    for (const [entity, by] of lowered) {
      const head = versions.get(entity);
      if (head) head.version -= by;
    }
  }
  for (const chunk of chunks) chunk.asOf = erasures.asOf;
}

/** Returns the rows that are erased, by their number. `lowered` is by how much the versions of an entity are too high. */
function renumber(state: PartitionState, { rows }: Chunk, lowered: Map<string, number>): ReadonlySet<number> {
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

/** Whether nothing from this offset on is stored. Otherwise what is stored has its version, and the rest goes on from it. */
function isAllUnstored({ versions, stored }: PartitionState, from: number): boolean {
  return from >= versions.storedUpTo && !stored.mayHave(from);
}
