/**
 * Chooses how many rows to request as the next page, from the sizes of earlier pages, so that pages are neither large
 * nor numerous.
 */
export class AdaptivePageSize {
  rows: number;

  /** @param options Rows of the first page, maximum number of rows, and intended size in bytes. */
  constructor(private readonly options: { first: number; most: number; bytes: number }) {
    this.rows = options.first;
  }

  /** Reports that a page of `rows` rows exceeded a limit of ClickHouse. The next page has a quarter of these rows. */
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
   * Reports the rows and bytes of a page that was read, which determine the number of rows of the next page. The number
   * of rows of a page grows at most fourfold, because the next rows may be larger.
   */
  learn(rows: number, bytes: number): void {
    const fitting = Math.floor((rows * this.options.bytes) / Math.max(1, bytes));
    this.rows = Math.max(1, Math.min(fitting, this.rows * 4, this.options.most));
  }
}
