/** How a list is read. */
export interface ListQuery {
  /** Items of one page, 100 by default. Iterating reads every page. */
  limit?: number;
  /** Where to go on: `next_cursor` of a page of the same list. */
  cursor?: string;
}
