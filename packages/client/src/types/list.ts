/** Options of a list request. */
export interface ListQuery {
  /** The number of items in a page, 100 by default. Iterating reads all pages. */
  limit?: number;
  /** The `next_cursor` of a page of the same list. */
  cursor?: string;
}
