import { randomUUID } from 'node:crypto';
import type { Event } from '@event-driven-io/emmett';

/** An event of emmett in a commit. */
export interface CommittedEvent {
  type: string;
  data: object;
  metadata?: object;
  message_id: string;
}

/**
 * The data of one event of Tributary: the events of one append to a stream of emmett. Tributary writes an event as a
 * whole or not at all, and so the append.
 */
export interface CommitData {
  /** The position of the last of these events: the number of events of emmett's stream. */
  stream_version: number;
  events: CommittedEvent[];
}

/** The type of the events of Tributary that contain commits. */
export const commitType = 'emmett.commit';

/** Returns events in the form in which a commit contains them. */
export function committed(events: readonly Event[]): CommittedEvent[] {
  return events.map((event) => ({
    ...{ type: event.type, data: event.data },
    metadata: 'metadata' in event ? (event.metadata as object) : undefined,
    message_id: randomUUID(),
  }));
}

/** Returns the version of emmett's stream after its last commit. */
export function versionAfter(last: CommitData | undefined): bigint {
  return BigInt(last?.stream_version ?? 0);
}
