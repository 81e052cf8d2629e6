import { expect } from 'vitest';
import { HttpClient, type TestSystem } from '#testkit';
import { sql } from '../sql.js';

/** The type of events that do not come from the driver: they only advance the watermark. */
export const flush = 'flush';

/** A condition of a definition that selects the driver's events. */
export const notFlush = `event.event_type != "${flush}"`;

/** An SQL expression for the amount: ClickHouse's JSON parser refuses the numbers of thirty digits in the data. */
export const amount = `toDecimal64(extract(data, '"amount":([0-9.]+)'), 2)`;

/** Writes current events to every partition, so the watermark passes all events of the driver. */
export async function closeWindows(stack: TestSystem, streams: readonly string[]): Promise<void> {
  const client = new HttpClient(stack.urls.ingest);
  for (const stream of streams) {
    const events = Array.from({ length: 60 }, (_, i) => ({
      ...{ stream, event_type: flush, entity_id: `flush-${i}`, data: {} },
    }));
    const { status } = await client.post('/api/v1/events/batch', { events });
    expect(status).toBeLessThan(300);
  }
  await client.close();
}

/** Returns the rows of a query, each value as a text. */
export async function rowsOf(stack: TestSystem, query: string): Promise<string[][]> {
  const text = await sql(stack, `${query} FORMAT JSONCompactEachRow`);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as unknown[]).map(String));
}

/** Returns the table expression of the stored events without duplicates. */
export function eventsIn(stack: TestSystem): string {
  return `${stack.database}.events FINAL`;
}

/** Returns the SQL condition for the driver's events of these streams. */
export function sourcesIn(streams: readonly string[]): string {
  return `substringIndex(stream, '#', 1) IN (${streams.map((stream) => `'${stream}'`).join()}) AND event_type != '${flush}'`;
}

/** Returns the ids of the events that the driver has written. */
export async function idsWritten(stack: TestSystem, streams: readonly string[]): Promise<string[]> {
  const query = `SELECT event_id FROM ${eventsIn(stack)} WHERE ${sourcesIn(streams)}`;
  return (await rowsOf(stack, query)).flat();
}
