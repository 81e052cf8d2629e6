/** The leader epoch of an offset that is not known: a group has committed it without one, or the record was not read. */
export const unknownEpoch = -1;

/** An offset up to which a partition was read, and the leader epoch of the record before it. */
export interface EpochPosition {
  offset: number;
  leaderEpoch: number;
}
