/** How the answers of all lists end. */
export function listEnd(nextCursor: string | undefined): { has_more: boolean; next_cursor: string | null } {
  return { has_more: nextCursor !== undefined, next_cursor: nextCursor ?? null };
}
