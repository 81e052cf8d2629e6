import type { PlainClickHouseClient } from '../clickhouse.js';
import { madeFrom } from './dataset.js';

export const longEntity = { stream: 'long', entityId: 'entity-long', everyMs: 1_000 };

const eventsPerInsert = 10_000;
const at = `fromUnixTimestamp64Milli(toInt64(${madeFrom} + number * ${longEntity.everyMs}), 'UTC')`;
const { entityId } = longEntity;

/** An entity with a long history: its stream, its number of events, and how often it has a snapshot. */
interface LongEntity {
  /** The id of its stream. */
  stream: string;
  events: number;
  /** The number of versions between two snapshots. */
  every: number;
}

/**
 * Generates an entity with this number of events of some 230 bytes of data, a second apart, and the snapshots that
 * the processor would take. Everything is generated inside ClickHouse, in the system's own tables. Each event has all
 * members, so the data of a version is the state of that version.
 */
export async function makeLongEntity(
  clickhouse: PlainClickHouseClient,
  { stream, events, every }: LongEntity,
): Promise<void> {
  for (let from = 0; from < events; from += eventsPerInsert) {
    await clickhouse.run(
      `INSERT INTO events (stream, partition, offset, event_id, event_type, entity_id, version, timestamp, ingested_at,
                           schema_version, metadata, data)
       SELECT '${stream}', 0, number, generateUUIDv4(number), 'order.changed', '${entityId}', number + 1,
              ${at}, ${at} + INTERVAL 1 MILLISECOND, 0, '{}',
              concat('{"amount":', toString(cityHash64(number) % 100000 / 100), ',"currency":"EUR"',
                     ',"customer":{"id":"customer-', toString(cityHash64(number, 'customer') % 100000),
                     '","country":"DE"},"items":[{"sku":"sku-', toString(cityHash64(number, 'sku') % 10000),
                     '","quantity":2,"price":12.5}],"channel":"web","note":"please leave it with the neighbour"}')
       FROM numbers(${from}, ${Math.min(eventsPerInsert, events - from)})`,
    );
  }
  const micros = (column: string) => `toUnixTimestamp64Micro(${column})`;
  const first = `${madeFrom} * 1000`;
  await clickhouse.run(
    `INSERT INTO snapshots (stream, entity_id, version, partition, offset, timestamp, ingested_at, first_partition,
                            first_offset, first_timestamp, first_ingested_at, latest_timestamp, created_at, reason,
                            state_bytes, state)
     SELECT stream, entity_id, version, partition, offset, ${micros('e.timestamp')}, ${micros('e.ingested_at')}, 0,
            0, ${first}, ${first} + 1000, ${micros('e.timestamp')}, ${micros('e.ingested_at')}, 'automatic',
            length(data), data
     FROM events_by_entity AS e
     WHERE entity_id = '${entityId}' AND stream = '${stream}' AND version % ${every} = 0`,
  );
}
