import { randomUUID } from 'node:crypto';
import {
  JSONParser,
  type Event,
  type ReadEvent,
  type ReadEventMetadataWithoutGlobalPosition,
} from '@event-driven-io/emmett';
import type { NewEntityEvent, StoredEvent } from '@tributary/client';

/** Tributary orders the events of one entity, and not the events of all entities. */
export type TributaryReadEventMetadata = ReadEventMetadataWithoutGlobalPosition;

/** An event of emmett with its id, before it is written. */
export type IdentifiedEvent = Event & { messageId: string };

/** Returns events with ids of their own. */
export function identified(events: readonly Event[]): IdentifiedEvent[] {
  return events.map((event) => ({ ...event, messageId: randomUUID() }));
}

/** Returns an event in the form in which Tributary stores it. Its metadata, which can have any form, is one JSON text. */
export function toTributary(event: IdentifiedEvent): NewEntityEvent {
  const { type, data, messageId } = event;
  const metadata =
    'metadata' in event && event.metadata ? { emmett: JSONParser.stringify(event.metadata) } : null;
  return { event_id: messageId, event_type: type, dataText: JSONParser.stringify(data), metadata };
}

/** Returns stored events as emmett reads them. */
export function recorded<EventType extends Event>(
  streamName: string,
  events: readonly StoredEvent[],
): ReadEvent<EventType, TributaryReadEventMetadata>[] {
  return events.map(({ event_id: messageId, event_type: type, data, metadata: { emmett }, version }) => {
    const own = typeof emmett === 'string' ? (JSON.parse(emmett) as object) : {};
    return asRead<EventType>(
      { type, data },
      { ...own, streamName, messageId, streamPosition: BigInt(version!) },
    );
  });
}

/** Returns events that were written after this version as emmett reads them. */
export function written<EventType extends Event>(
  streamName: string,
  events: readonly IdentifiedEvent[],
  after: bigint,
): ReadEvent<EventType, TributaryReadEventMetadata>[] {
  return events.map((event, i) => {
    const { type, data, messageId } = event;
    const own = 'metadata' in event ? (event.metadata as object) : {};
    const streamPosition = after + BigInt(i + 1);
    return asRead<EventType>({ type, data }, { ...own, streamName, messageId, streamPosition });
  });
}

function asRead<EventType extends Event>(
  { type, data }: Event,
  metadata: TributaryReadEventMetadata,
): ReadEvent<EventType, TributaryReadEventMetadata> {
  return { kind: 'Event', type, data, metadata } as unknown as ReadEvent<
    EventType,
    TributaryReadEventMetadata
  >;
}
