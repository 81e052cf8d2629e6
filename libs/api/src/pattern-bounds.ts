/**
 * Bounds of regular expressions that come from outside, in a schema or in an expression. RE2 looks at each character
 * once for each instruction of the compiled pattern at most, so the work of a search is instructions × length.
 */
export const patternBounds = {
  /** Characters of one regular expression. */
  characters: 1_000,
  /** Instructions of one compiled regular expression; `{1,255}` takes about 255. */
  instructions: 300,
  /** Instructions × characters of all searches while one event is checked against its schema. */
  workOfSchema: 250_000,
  /** Instructions × bytes of all searches in one evaluation of an expression. */
  workOfExpression: 2_000_000,
} as const;

/** What holds no repeat, whatever it says (quoted text, escapes, classes of characters), and repeats. */
const tokens =
  /\\Q[^]*?(?:\\E|$)|\\x\{[\da-fA-F]*\}|\\[^]|\[\^?\]?(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}/g;

/**
 * A lower bound of the instructions that a pattern takes, without compiling it: a repeated part is copied for each
 * repeat. Compiling `(?:a?){900}` seventy times in a row takes 100 ms.
 */
export function leastInstructions(source: string): number {
  let least = 0;
  for (const [, from = 0, to] of source.matchAll(tokens)) least += Math.max(Number(from), Number(to || 0));
  return least;
}
