import type { StreamId } from '#event';
import type { StreamDefinition } from './stream-definition.js';

/** A function that removes all rows of the stream with this id from the store. */
export type RemoveStreamRows = (id: StreamId) => Promise<void>;

/** Result of creating a stream: its definition, and whether this request has created it. */
export interface StreamCreationResult {
  definition: StreamDefinition;
  created: boolean;
}
