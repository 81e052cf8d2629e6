import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { idOf, type TestSystem } from '#testkit';
import { createStream } from '../bench.js';
import type { PlainClickHouseClient } from '../clickhouse.js';

/** Time of the first generated event in milliseconds since 1970. Each further event is a quarter of a second later. */
export const madeFrom = Date.UTC(2026, 0, 1);
export const madeEveryMs = 250;
export const madeStreams = 5;
export const madeTypes = 20;
/** Average number of events of an entity. Each million of events has 10 000 entities of its own. */
export const eventsPerEntity = 100;

export const flightsFrom = Date.UTC(2001, 0, 1);
export const flightsUntil = Date.UTC(2001, 6, 1);
const mostFlights = 3_000_000;

const columns =
  'stream, partition, offset, event_id, event_type, entity_id, version, timestamp, ingested_at, schema_version, metadata, data';

const settings = { max_partitions_per_insert_block: '1000', max_execution_time: '0' };

/** How many events of the data set for page reads are generated, and how many are real flights. */
export interface DatasetComposition {
  made: number;
  flights: number;
}

/**
 * Returns the composition of a data set with this number of events: three tenths are real flights, as far as there are
 * enough of them, and the others are generated.
 */
export function sizeOf(events: number): DatasetComposition {
  const flights = Math.min(mostFlights, Math.floor(events * 0.3));
  return { made: events - flights, flights };
}

/** Ids of the streams of generated events, and of the stream of flights. */
interface DatasetStreams {
  made: string[];
  flights: string;
}

/** Creates the streams of the data set, without events. */
export async function createPageStreams(stack: TestSystem): Promise<DatasetStreams> {
  const created = async (stream: string): Promise<string> => {
    await createStream(stack, stream);
    return idOf(stack, stream);
  };
  const made: string[] = [];
  for (let index = 0; index < madeStreams; index++) made.push(await created(`pages-${index}`));
  return { made, flights: await created('flights') };
}

/**
 * Numbers of the events to generate, `from` to below `until`, and the ids of the streams over which they are
 * distributed in turn.
 */
interface GeneratedEventRange {
  streams: readonly string[];
  from: number;
  until: number;
}

/**
 * Generates events inside ClickHouse, in the system's own tables: over HTTP it would take minutes. Each stream has 8
 * partitions; there are 20 types.
 */
export async function makeEvents(
  clickhouse: PlainClickHouseClient,
  { streams, from, until }: GeneratedEventRange,
): Promise<void> {
  await clickhouse.run(
    `INSERT INTO events (${columns})
     SELECT [${streams.map((id) => `'${id}'`).join()}][number % ${streams.length} + 1], intDiv(number, 5) % 8, intDiv(number, 40),
            generateUUIDv4(number), concat('type-', toString(cityHash64(number) % ${madeTypes})),
            concat('entity-', toString(intDiv(number, 1000000) * 10000 + cityHash64(number, 'entity') % 10000)),
            1 + intDiv(number, 10000) % ${eventsPerEntity},
            fromUnixTimestamp64Milli(toInt64(${madeFrom} + number * ${madeEveryMs}), 'UTC') AS at, at + 1, 0, '{}',
            concat('{"amount":', toString(cityHash64(number, 'amount') % 100000 / 100), ',"currency":"EUR"',
                   ',"customer":{"id":"customer-', toString(cityHash64(number, 'customer') % 100000),
                   '","country":"DE"},"items":[{"sku":"sku-', toString(cityHash64(number, 'sku') % 10000),
                   '","quantity":2,"price":12.5}],"channel":"web","note":"please leave it with the neighbour"}')
     FROM numbers(${from}, ${until - from})`,
    settings,
  );
}

/** Inserts the first real flights of `vega-datasets` into one stream: an entity is a route, such as LAS-PHL. */
export async function insertFlights(
  clickhouse: PlainClickHouseClient,
  stream: string,
  count: number,
): Promise<void> {
  const file = fileURLToPath(new URL('../data/flights-3m.parquet', import.meta.resolve('vega-datasets')));
  await clickhouse.run(
    `CREATE TABLE flights (date DateTime64(6, 'UTC'), delay Int64, distance Int64, origin String, destination String)
     ENGINE = MergeTree ORDER BY date`,
  );
  await clickhouse.run('INSERT INTO flights FORMAT Parquet', settings, await readFile(file));
  await clickhouse.run(
    `INSERT INTO events (${columns})
     SELECT '${stream}', number % 8, intDiv(number, 8), generateUUIDv4(number),
            if(delay > 15, 'flight.delayed', 'flight.on_time'), concat(origin, '-', destination), 0,
            date, toDateTime64('2026-01-01 00:00:00', 6, 'UTC'), 0, '{"source":"flights-3m.parquet"}',
            concat('{"delay":', toString(delay), ',"distance":', toString(distance), ',"origin":"', origin,
                   '","destination":"', destination, '"}')
     FROM (SELECT rowNumberInAllBlocks() AS number, * FROM flights ORDER BY date LIMIT ${count})`,
    settings,
  );
  await clickhouse.run('DROP TABLE flights');
}
