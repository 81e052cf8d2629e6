import type { Event, ReadEvent, ReadEventMetadataWithoutGlobalPosition } from '@event-driven-io/emmett';
import type { CommittedEvent } from './commit-data.js';

/** Tributary orders the events of one entity, and not the events of all entities. */
export type TributaryReadEventMetadata = ReadEventMetadataWithoutGlobalPosition;

/** Returns events as emmett reads them. The first event has the version after `after`. */
export function recorded<EventType extends Event>(
  streamName: string,
  events: readonly CommittedEvent[],
  after = 0n,
): ReadEvent<EventType, TributaryReadEventMetadata>[] {
  return events.map(({ type, data, metadata, message_id: messageId }, i) => ({
    ...{ kind: 'Event', type, data },
    metadata: { ...metadata, streamName, messageId, streamPosition: after + BigInt(i + 1) },
  })) as unknown as ReadEvent<EventType, TributaryReadEventMetadata>[];
}
