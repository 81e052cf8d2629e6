import type { StreamId } from '#event';
import type { StreamDefinition } from './stream-definition.js';

/** A client's request for a stream. Members that are absent have defaults. */
export interface CreateStreamRequest {
  stream: string;
  partitions?: number;
  retention?: StreamDefinition['retention'];
  snapshot_every?: number;
}

/** Removes the rows of the stream with this id. */
export type RemoveRows = (id: StreamId) => Promise<void>;

/** `created` is false if the stream already existed. */
export interface CreatedStream {
  definition: StreamDefinition;
  created: boolean;
}
