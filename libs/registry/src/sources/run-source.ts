import type { StreamId } from '#event';

/** A stream that a build or a run reads. It knows nothing of the next stream of that name. */
export interface RunSource {
  /** Of the stream. */
  id: StreamId;
  /** By partition, where it does not begin at the beginning: what is below it is not read. */
  starts?: readonly number[];
}
