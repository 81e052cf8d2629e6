import { randomUUID } from 'node:crypto';
import { parseTime } from '#json';
import type { StoredEvent } from '#event';
import type { DeadLetter, EventRow, CursorPage } from '../store.js';

/** Timestamp of the event at offset 0, in microseconds; each further event is a second later. */
export const t0 = parseTime('2026-11-21T04:00:00Z') as number;
export const second = 1_000_000;

/** Returns an event row with default values for all fields that are not given. Every test uses a stream of its own. */
export function eventRow(row: Partial<EventRow> & Pick<EventRow, 'stream' | 'offset'>): EventRow {
  return {
    partition: 0,
    event_id: randomUUID(),
    event_type: 'order.placed',
    entity_id: null,
    version: null,
    timestamp: t0 + row.offset * second,
    ingested_at: t0 + row.offset * second + 5_000,
    schema_version: null,
    metadata: '{}',
    data: '{"amount": 1}',
    ...row,
  };
}

export function rowsOf(
  stream: string,
  count: number,
  each: (i: number) => Partial<EventRow> = () => ({}),
): EventRow[] {
  return Array.from({ length: count }, (_, i) => eventRow({ stream, offset: i, ...each(i) }));
}

export function newStream(): string {
  return `s-${randomUUID()}`;
}

export function offsetsOf(page: CursorPage<StoredEvent>): number[] {
  return page.items.map((event) => event.offset);
}

/** Returns a dead letter with default values for all fields that are not given. */
export function deadLetterOf(
  letter: Partial<DeadLetter> & Pick<DeadLetter, 'stream' | 'offset'>,
): DeadLetter {
  return {
    source: 'materializer',
    partition: 0,
    reason: 'unreadable',
    error: 'not JSON: "…"',
    event: 'base64:AAEC',
    created_at: t0,
    ...letter,
  };
}
