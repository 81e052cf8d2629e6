const right = '/right';

/** Returns the JSON pointer at which events of the right side of a join enter, fail and continue. @param at of the join */
export function rightSideOf(at: string): string {
  return at + right;
}

/** Returns the JSON pointer of the operator at which an event ended; that of the join for its right side. */
export function operatorOf(at: string): string {
  return at.endsWith(`/join${right}`) ? at.slice(0, -right.length) : at;
}
