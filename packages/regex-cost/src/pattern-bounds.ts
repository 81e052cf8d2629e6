/**
 * Limits of one regular expression. RE2 processes each character at most once for each instruction, so the work of a
 * search is at most instructions × length.
 */
export const patternBounds = {
  characters: 1_000,
  /** Maximum number of instructions of one compiled regular expression; `{1,255}` compiles to about 255. */
  instructions: 300,
  /** Maximum number of instructions before RE2 merges alternatives. Compiling takes 2 to 3 µs for each of them. */
  written: 2_000,
} as const;
