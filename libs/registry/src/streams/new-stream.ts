import type { StreamId } from '#event';
import type { StreamDefinition } from './stream-definition.js';

/** What a client asks for; what is left out takes the default. */
export interface NewStream {
  stream: string;
  partitions?: number;
  retention?: StreamDefinition['retention'];
  snapshot_every?: number;
}

/** Removes the rows of the stream with this id. */
export type RowRemoval = (id: StreamId) => Promise<void>;

/** `created` is false where the same stream existed already. */
export interface CreatedStream {
  definition: StreamDefinition;
  created: boolean;
}
