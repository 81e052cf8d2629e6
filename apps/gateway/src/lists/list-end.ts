export interface ListEnd {
  has_more: boolean;
  next_cursor: string | null;
}

/** Returns the last members of a list's answer. They are the same for all lists. */
export function listEnd(nextCursor: string | undefined): ListEnd {
  return { has_more: nextCursor !== undefined, next_cursor: nextCursor ?? null };
}
