import { randomUUID } from 'node:crypto';
import { StoreUnavailableError } from '../../errors.js';
import { entityHashCondition, type EntityErasureParams } from './erased-entity.js';
import type { RowRemover } from './row-remover.js';

/** The latest version of an entity in one partition, with the offset and the timestamp of its latest event there. */
type LatestVersion = [partition: number, version: number, lastOffset: number, lastTimestamp: number];

/** Maximum number of corrections, each needed because events of the entity were written concurrently. */
const attempts = 5;

const latestVersionsSql = `
SELECT partition, max(last_version), max(last_offset), max(last_timestamp)
FROM entities
WHERE stream = {stream:String} AND entity_id IN {ids:Array(String)}
GROUP BY partition`;

const remaining = `
FROM events_by_entity AS e
WHERE stream = {stream:String} AND entity_id IN {ids:Array(String)}
  AND NOT (e.offset < {below:Map(UInt16, UInt64)}[partition])`;

const lastRemaining = `
SELECT partition, max(e.version), max(e.offset), max(toUnixTimestamp64Micro(e.timestamp))
${remaining}
GROUP BY partition`;

const insertRemaining = `
INSERT INTO entities (stream, entity_id, partition, last_version, last_offset, first_timestamp, last_timestamp)
SELECT stream, entity_id, partition, max(e.version), max(e.offset),
  min(toUnixTimestamp64Micro(e.timestamp)), max(toUnixTimestamp64Micro(e.timestamp))
${remaining} AND partition IN {partitions:Array(UInt16)}
GROUP BY stream, entity_id, partition`;

/**
 * After an erasure, corrects the entity's rows in the table `entities` to match its remaining events. A concurrent
 * write may lose its row to the removal, so the rows are compared with the events again until they agree. A row whose
 * last offset is at or above the erasure's end remains even without events: its events were written after the erasure
 * and then removed by retention.
 */
export async function correctLatestVersions(rows: RowRemover, erased: EntityErasureParams): Promise<void> {
  const { stream, hash, ids, below } = erased;
  const condition = `${entityHashCondition('entity_id')} AND partition IN {partitions:Array(UInt16)}`;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const partitions = await wrongPartitions(rows, erased);
    if (partitions.length === 0) return;
    await rows.remove('entities', { stream, condition, params: { hash, partitions } });
    // An identical row may have been inserted and removed before: the insert must not be ignored as a repeat.
    const settings = { insert_deduplication_token: randomUUID() };
    await rows.connection.command(insertRemaining, { stream, ids, below, partitions }, settings);
  }
  throw new StoreUnavailableError(
    'Events of the entity are written faster than its latest version can be corrected',
  );
}

async function wrongPartitions(rows: RowRemover, erased: EntityErasureParams): Promise<number[]> {
  const { stream, ids, below } = erased;
  const known = await rows.lookUp<LatestVersion>(latestVersionsSql, { stream, ids });
  const left = await rows.lookUp<LatestVersion>(lastRemaining, { stream, ids, below });
  const expected = new Map(left.map((version) => [version[0], version]));
  const wrong = known.filter((version) => {
    const [partition, , lastOffset] = version;
    const other = expected.get(partition);
    if (!other) return lastOffset < (below.get(partition) ?? 0);
    return version.some((value, i) => value !== other[i]);
  });
  const missing = left.filter(([partition]) => !known.some((version) => version[0] === partition));
  return [...wrong, ...missing].map(([partition]) => partition);
}
