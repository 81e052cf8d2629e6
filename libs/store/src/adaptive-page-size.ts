/** The limits of a AdaptivePageSize. */
export interface AdaptivePageSizeOptions {
  /** Number of rows of the first page. */
  first: number;
  most: number;
  /** Approximate size of a page in bytes. */
  bytes: number;
}

/**
 * Chooses the number of rows to request at once, from the sizes of earlier pages, so that pages are neither
 * large nor numerous.
 */
export class AdaptivePageSize {
  rows: number;

  constructor(private readonly options: AdaptivePageSizeOptions) {
    this.rows = options.first;
  }

  /** Reports that a page of `rows` rows exceeded the store's limit. */
  tooLarge(rows: number): void {
    this.rows = Math.max(1, rows >> 2);
  }

  /**
   * Reports that a page exceeded the store's time limit. The next page has one row: each further attempt could take all
   * the time again.
   */
  tooSlow(): void {
    this.rows = 1;
  }

  /**
   * Reports the size of a page. Rows usually have similar sizes; the fourfold limit on growth bounds the next
   * page when they do not.
   */
  learn(rows: number, bytes: number): void {
    const fitting = Math.floor((rows * this.options.bytes) / Math.max(1, bytes));
    this.rows = Math.max(1, Math.min(fitting, this.rows * 4, this.options.most));
  }
}
