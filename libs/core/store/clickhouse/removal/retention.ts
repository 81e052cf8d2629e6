import type { EventRemover } from '../../event-remover.js';
import { belowEndCondition, totalEvents, type RowRemover, type RowSet } from './row-remover.js';

const earlier = (column: string) => `${column} < fromUnixTimestamp64Micro({before:Int64}, 'UTC')`;

/** Implements EventRemover.expire: removes what was ingested before a time. */
export async function expire(
  rows: RowRemover,
  { stream, before }: Parameters<EventRemover['expire']>[0],
): Promise<number> {
  const params = { before };
  const events = await removeEvents(rows, { stream, condition: earlier('ingested_at'), params });
  const first = 'first_ingested_at < {before:Int64}';
  await rows.removeIfAny('snapshots', { stream, condition: first, params });
  await rows.removeIfAny('dead_letters', { stream, condition: earlier('created_at'), params });
  return events;
}

/** Implements EventRemover.truncate: removes what is below an offset of one partition. */
export async function truncate(
  rows: RowRemover,
  { stream, partition, before }: Parameters<EventRemover['truncate']>[0],
): Promise<number> {
  const params = { partition, before };
  const set = { stream, condition: 'partition = {partition:UInt16} AND offset < {before:UInt64}', params };
  const events = await removeEvents(rows, set);
  const first = 'first_partition = {partition:UInt16} AND first_offset < {before:UInt64}';
  await rows.removeIfAny('snapshots', { stream, condition: first, params });
  await rows.removeIfAny('dead_letters', set);
  return events;
}

/**
 * Removes only the events that were found and noted: concurrently written events may match the set too.
 * `events` is last: as long as it contains the rows, a repeat finds them.
 */
async function removeEvents(rows: RowRemover, set: RowSet): Promise<number> {
  const found = await rows.countByPartition(set, ['events']);
  if (found.length === 0) return 0;
  const below = new Map(found.map(({ partition, end }) => [partition, end]));
  const condition = `${set.condition} AND ${belowEndCondition}`;
  const bounded = { ...set, condition, params: { ...set.params, below } };
  await rows.recordRemovedOffsets(bounded, ['events']);
  await rows.remove('events_by_entity', bounded);
  await rows.remove('events', bounded);
  return totalEvents(found);
}
