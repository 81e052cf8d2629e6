export interface PageSizeOptions {
  /** Of the first page. */
  first: number;
  most: number;
  /** What a page should have, about. */
  bytes: number;
}

/** How many rows to ask for at once, so that pages are neither large nor many: it follows from the pages before. */
export class PageSize {
  rows: number;

  constructor(private readonly options: PageSizeOptions) {
    this.rows = options.first;
  }

  /** A page of so many rows was more than the store gives at once. */
  tooLarge(rows: number): void {
    this.rows = Math.max(1, rows >> 2);
  }

  /** Sizes of rows are alike; growing fourfold at most keeps a page bounded where they are not. */
  learn(rows: number, bytes: number): void {
    const fitting = Math.floor((rows * this.options.bytes) / Math.max(1, bytes));
    this.rows = Math.max(1, Math.min(fitting, this.rows * 4, this.options.most));
  }
}
