/**
 * A stream that a build or a run reads: one of that name that is made anew is another one, of which the build or run knows
 * nothing.
 */
export interface RunSource {
  /** Of the stream. */
  created_at: string;
  /** By partition, where it does not begin at the beginning: what is below it is not read. */
  starts?: readonly number[];
}
