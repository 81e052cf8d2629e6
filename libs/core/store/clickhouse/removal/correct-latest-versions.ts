import { randomUUID } from 'node:crypto';
import { StoreUnavailableError } from '../../errors.js';
import type { StoreClickHouseClient } from '../store-clickhouse-client.js';
import { entityHashCondition, type EntityErasureParams } from './erased-entity.js';
import { removeRows } from './row-set.js';

/**
 * The latest version of an entity in one partition of a stream, with the offset and the timestamp of its latest event
 * there.
 */
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
export async function correctLatestVersions(
  connection: StoreClickHouseClient,
  erased: EntityErasureParams,
): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const partitions = await wrongPartitions(connection, erased);
    if (partitions.length === 0) return;
    const { stream, hash, ids, below } = erased;
    await removeRows(connection, 'entities', {
      stream,
      condition: `${entityHashCondition('entity_id')} AND partition IN {partitions:Array(UInt16)}`,
      params: { hash, partitions },
    });
    // An identical row may have been inserted and removed before: the insert must not be ignored as a repeat.
    await connection.command(
      insertRemaining,
      { stream, ids, below, partitions },
      { insert_deduplication_token: randomUUID() },
    );
  }
  throw new StoreUnavailableError(
    'Events of the entity are written faster than its latest version can be corrected',
  );
}

async function wrongPartitions(
  connection: StoreClickHouseClient,
  erased: EntityErasureParams,
): Promise<number[]> {
  const { stream, ids, below } = erased;
  const known = await connection.select<LatestVersion>(latestVersionsSql, {
    params: { stream, ids },
    purpose: 'lookup',
  });
  const left = await connection.select<LatestVersion>(lastRemaining, {
    params: { stream, ids, below },
    purpose: 'lookup',
  });
  const expected = new Map(left.map((head) => [head[0], head]));
  const wrong = known.filter((head) => {
    const [partition, , lastOffset] = head;
    const other = expected.get(partition);
    return other ? !isSameVersion(head, other) : lastOffset < (below.get(partition) ?? 0);
  });
  const missing = left.filter(([partition]) => !known.some((head) => head[0] === partition));
  return [...wrong, ...missing].map(([partition]) => partition);
}

function isSameVersion(a: LatestVersion, b: LatestVersion): boolean {
  return a.every((value, i) => value === b[i]);
}
