import { parseTime } from '#json';
import type { EventFromKafka } from '#event';
import { foldEvent, type FoldEvent } from './fold-event.js';

/**
 * Returns an event with raw JSON as its data. The offset of the event decides its time: events are one second apart.
 */
export function event(data: string, fields: Partial<EventFromKafka> = {}): FoldEvent {
  const offset = fields.offset ?? 0;
  const timestamp = (parseTime('2026-11-21T04:00:00Z') as number) + offset * 1_000_000;
  return foldEvent({
    event_id: '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11',
    stream: 'orders',
    event_type: 'order.placed',
    entity_id: 'order-17',
    timestamp,
    ingested_at: timestamp + 250_000,
    schema_version: null,
    metadata: '{}',
    partition: 0,
    offset,
    ...fields,
    data,
  });
}
