/** Quotient that is expected before the first fetch: about that of events that are compressed in large batches. */
const firstGuess = 8;
/** Share of the difference by which a smaller quotient lowers the estimate. */
const decline = 1 / 8;

/** Estimates the memory of a fetched byte once decompressed. Follows larger quotients at once, smaller ones slowly. */
export class ExpansionEstimate {
  private quotient = firstGuess;

  /** Returns how many bytes to fetch so that about `bytes` are in memory afterwards; at least 1. */
  toFetch(bytes: number): number {
    return Math.max(1, Math.floor(bytes / this.quotient));
  }

  /** Takes the size of fetched records, as they were fetched and as they are held in memory. */
  observe({ fetched, inMemory }: { fetched: number; inMemory: number }): void {
    const seen = inMemory / fetched;
    this.quotient += (seen - this.quotient) * (seen > this.quotient ? 1 : decline);
  }
}
