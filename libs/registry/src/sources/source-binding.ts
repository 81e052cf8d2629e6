import type { StreamId } from '#event';

/**
 * A stream that a generation or a job reads. The stream is identified by its id, so a later stream with the same name
 * is not read.
 */
export interface SourceBinding {
  /** Id of the stream. */
  id: StreamId;
  /** Start offset by partition; absent if reading begins at the beginning. */
  starts?: readonly number[];
}
