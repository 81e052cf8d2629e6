import type { EventWriter } from '../store.js';
import type { StoreClickHouseClient } from './store-clickhouse-client.js';
import { longQuerySettings, splitBySize } from './split-by-size.js';

/**
 * Selects the version of each event with one of the ids. The index on `event_id` finds the few granules that can have
 * these events.
 */
const sql = `
SELECT toString(event_id), max(version)
FROM events
WHERE stream = {stream:String} AND partition = {partition:UInt16} AND event_id IN {eventIds:Array(UUID)}
GROUP BY event_id`;

/** Returns the versions of stored events by their ids; null for an event without an entity. */
export async function versionsOf(
  connection: StoreClickHouseClient,
  { stream, partition, eventIds }: Parameters<EventWriter['versionsOf']>[0],
): Promise<Map<string, number | null>> {
  const found = new Map<string, number | null>();
  for (const ids of splitBySize(eventIds)) {
    const rows = await connection.select<[string, number]>(sql, {
      params: { stream, partition, eventIds: ids },
      settings: longQuerySettings,
      purpose: 'lookup',
    });
    for (const [id, version] of rows) found.set(id, version === 0 ? null : version);
  }
  return found;
}
