/**
 * Bounds of regular expressions that come from outside, in a schema or in an expression. RE2 looks at each character
 * once for each instruction of the compiled pattern at most, so the work of a search is instructions × length.
 */
export const patternBounds = {
  /** Characters of one regular expression. */
  characters: 1_000,
  /** Instructions of one compiled regular expression; `{1,255}` takes about 255. */
  instructions: 300,
  /** Instructions before RE2 merges alternatives: compiling takes 2 to 3 µs for each. */
  written: 2_000,
  /** Instructions × characters of all searches while one event is checked against its schema. */
  workOfSchema: 250_000,
  /** Instructions × bytes of all searches in one evaluation of an expression. */
  workOfExpression: 2_000_000,
} as const;
