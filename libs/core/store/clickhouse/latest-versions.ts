import { NonRetryableStoreError } from '../errors.js';
import type { EventWriter } from '../store.js';
import type { ClickHouseConnection } from './connection/store-clickhouse-client.js';
import { splitBySize } from './connection/split-by-size.js';
import { longQuerySettings } from './connection/settings.js';

type VersionsQuery = Parameters<EventWriter['latestVersions']>[0];

const latestVersionsSql = `
SELECT entity_id, max(last_version) AS version, max(last_offset) AS last
FROM entities
WHERE stream = {stream:String} AND entity_id IN {entityIds:Array(String)} AND partition = {partition:UInt16}
GROUP BY entity_id`;

const surroundingVersionsSql = `
SELECT entity_id, maxIf(version, offset < {before:UInt64}), minIf(version, offset >= {before:UInt64})
FROM events_by_entity
WHERE entity_id IN {entityIds:Array(String)} AND stream = {stream:String} AND partition = {partition:UInt16}
  AND offset >= {from:UInt64}
GROUP BY entity_id`;

/**
 * Returns the latest version of each entity below the offset `before`. Nearly always, an entity has no event
 * at or above `before`, and its row in `entities` has the version. If it has later events (an offset range is
 * read again), or if `from` is set, the entity's events decide. The last event below `before` has the
 * version. If retention removed the events below `before`, the version is one less than that of the first
 * remaining event. If no event is left, the row in `entities` decides.
 */
export async function latestVersions(
  connection: ClickHouseConnection,
  query: VersionsQuery,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const entityIds of splitBySize(query.entityIds)) {
    await addHalving(connection, { ...query, entityIds }, found);
  }
  return found;
}

/** Runs the query; if the server rejects it, for example because of a limit of its own, runs it for each half. */
async function addHalving(
  connection: ClickHouseConnection,
  query: VersionsQuery,
  found: Map<string, number>,
): Promise<void> {
  try {
    await addVersions(connection, query, found);
  } catch (error) {
    const { entityIds } = query;
    if (!(error instanceof NonRetryableStoreError) || entityIds.length === 1) throw error;
    const half = entityIds.length >> 1;
    await addHalving(connection, { ...query, entityIds: entityIds.slice(0, half) }, found);
    await addHalving(connection, { ...query, entityIds: entityIds.slice(half) }, found);
  }
}

async function addVersions(
  connection: ClickHouseConnection,
  query: VersionsQuery,
  found: Map<string, number>,
): Promise<void> {
  const { stream, partition, before, from = 0 } = query;
  const lookUp = (sql: string, params: Record<string, unknown>) =>
    connection.select<[string, number, number]>(sql, {
      params: { stream, partition, ...params },
      settings: longQuerySettings,
      purpose: 'lookup',
    });
  const rows = await lookUp(latestVersionsSql, { entityIds: query.entityIds });
  const readAgain: string[] = [];
  for (const [entityId, version, last] of rows) {
    if (last < from) continue;
    found.set(entityId, version);
    if (last >= before || from > 0) readAgain.push(entityId);
  }
  if (readAgain.length === 0) return;
  const events = await lookUp(surroundingVersionsSql, { entityIds: readAgain, before, from });
  for (const [entityId, below, above] of events) {
    const version = below > 0 ? below : above - 1;
    if (version > 0) found.set(entityId, version);
    else found.delete(entityId);
  }
}
