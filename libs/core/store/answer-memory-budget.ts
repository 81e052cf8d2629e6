/**
 * Bounds the total bytes of ClickHouse's answers that are held in memory while they are being read. An answer that has
 * been read completely no longer counts here; the component that received it then accounts for its bytes.
 */
export interface AnswerMemoryBudget {
  /** Starts to count the bytes of one answer. The caller must call `end` of the returned share. */
  share(): AnswerMemoryShare;
}

/** Counter of the bytes of one answer of ClickHouse that have been read so far, as part of a memory budget. */
export interface AnswerMemoryShare {
  /**
   * Adds bytes that were read. Returns false when they do not fit into the budget; the caller then stops reading the
   * answer.
   */
  take(bytes: number): boolean;
  /** Releases all counted bytes of the answer, so that other answers can use this part of the budget. */
  end(): void;
}
