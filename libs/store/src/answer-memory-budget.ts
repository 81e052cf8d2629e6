/**
 * Bounds the total bytes of answers that are held in memory while they are being read. A component that
 * passes an answer on accounts for its bytes from then on.
 */
export interface AnswerMemoryBudget {
  /** Opens the share of one answer. */
  share(): AnswerMemoryShare;
}

/** The bytes read so far of one answer. */
export interface AnswerMemoryShare {
  /** Counts more bytes. Returns false when they exceed the budget. */
  take(bytes: number): boolean;
  /** Returns all bytes of the share to the budget. */
  end(): void;
}
