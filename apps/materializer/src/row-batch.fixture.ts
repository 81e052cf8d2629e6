import { encodeRecord, EventRecordParser, type EventRecord } from '#event';
import { EventRowBatchBuilder, type EventRowBatch } from '#store';

/** Returns the event id with the number `n`, which is the same in every spec. */
export const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

/** Encodes an event as a record value; fields that are not given have default values. */
export function valueOf(event: Partial<EventRecord>): string {
  return encodeRecord({
    event_id: uuid(0),
    event_type: 'happened',
    entity_id: null,
    timestamp: 1_795_000_000_000_000,
    ingested_at: 1_795_000_000_000_000,
    schema_version: null,
    metadata: '{}',
    data: '{}',
    ...event,
  });
}

/** Builds a row batch with the given events at the given offsets. */
export function rowBatchOf(
  place: { stream: string; partition: number },
  events: readonly (Partial<EventRecord> & { offset: number })[],
): EventRowBatch {
  const builder = new EventRowBatchBuilder(place);
  const reader = new EventRecordParser();
  builder.begin();
  for (const { offset, ...event } of events) {
    reader.read(Buffer.from(valueOf({ event_id: uuid(offset), ...event })));
    builder.add(reader, offset);
  }
  return builder.finish();
}
