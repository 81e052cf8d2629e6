import { expect } from 'vitest';
import { HttpClient, type Stack } from '#testkit';
import { sql } from '../sql.js';

/** Type of the events that are not the driver's: they only move time on. */
export const flush = 'flush';

/** Selects the driver's events, in a definition. */
export const notFlush = `event.event_type != "${flush}"`;

/** ClickHouse's own reader of JSON refuses the numbers of thirty digits that are in there as well. */
export const amount = `toDecimal64(extract(data, '"amount":([0-9.]+)'), 2)`;

/** Writes events of today to every partition: the watermark passes all that the driver has written. */
export async function closeWindows(stack: Stack, streams: readonly string[]): Promise<void> {
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

/** What ClickHouse answers, each value as a text. */
export async function rowsOf(stack: Stack, query: string): Promise<string[][]> {
  const text = await sql(stack, `${query} FORMAT JSONCompactEachRow`);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as unknown[]).map(String));
}

/** The stored events, each once. */
export function eventsIn(stack: Stack): string {
  return `${stack.database}.events FINAL`;
}

/** Condition for the driver's events of these streams. */
export function sourcesIn(streams: readonly string[]): string {
  return `substringIndex(stream, '#', 1) IN (${streams.map((stream) => `'${stream}'`).join()}) AND event_type != '${flush}'`;
}

/** Ids of the events that the driver has written. */
export async function idsWritten(stack: Stack, streams: readonly string[]): Promise<string[]> {
  const query = `SELECT event_id FROM ${eventsIn(stack)} WHERE ${sourcesIn(streams)}`;
  return (await rowsOf(stack, query)).flat();
}
