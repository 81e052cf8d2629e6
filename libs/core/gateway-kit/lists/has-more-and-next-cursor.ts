/** The members `has_more` and `next_cursor` at the end of a list's answer. */
export interface HasMoreAndNextCursor {
  has_more: boolean;
  next_cursor: string | null;
}

/** Returns the members `has_more` and `next_cursor`, with which the answers of all lists end. */
export function listEnd(nextCursor: string | undefined): HasMoreAndNextCursor {
  return { has_more: nextCursor !== undefined, next_cursor: nextCursor ?? null };
}
