/**
 * Bounds the bytes of all answers that are held in memory while they are read. Whoever passes an answer on counts its
 * bytes from then on.
 */
export interface ReadBudget {
  /** Opens the share of one answer. */
  share(): ReadShare;
}

/** The bytes of one answer that have been read. */
export interface ReadShare {
  /** Counts more bytes; false when the budget has no room for them. */
  take(bytes: number): boolean;
  /** Gives everything back. */
  end(): void;
}
