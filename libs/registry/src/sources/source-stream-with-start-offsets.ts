import type { StreamId } from '#event';

/**
 * A stream that a projection's generation or a pipeline's job reads, with its start offsets. The stream is identified
 * by its id, so a later stream with the same name is not read.
 */
export interface SourceStreamWithStartOffsets {
  /** Id of the stream. */
  id: StreamId;
  /** Start offset of each partition, by partition number; absent if reading begins at the first offset. */
  starts?: readonly number[];
}
