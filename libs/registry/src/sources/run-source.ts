import type { StreamId } from '#event';

/**
 * A stream that a generation or a job reads. It refers to the stream's id, and thus not to a later stream with the same
 * name.
 */
export interface RunSource {
  /** Id of the stream. */
  id: StreamId;
  /** Start offset by partition; absent if reading begins at the beginning. */
  starts?: readonly number[];
}
