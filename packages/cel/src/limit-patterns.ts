import { patternBounds, patternSize } from '#regex-cost';
import { subexpressionsOf, type CallExpression, type ExpressionTree } from './expression-tree.js';
import { RegexTooLargeError, InvalidCelExpressionError } from './errors.js';
import { compiledPattern, notAPattern, searchWork } from './pattern.js';

/**
 * Checks the literal patterns of `matches`, and stores on each call the longest text that it may search, so that all
 * searches of one evaluation do at most `searchWork`, in each engine.
 * @throws InvalidCelExpressionError if a pattern is not a regular expression
 * @throws RegexTooLargeError if a pattern is too large, alone or together with those before it
 */
export function limitPatterns(expression: ExpressionTree): ExpressionTree {
  const searches = [...searchesIn(expression)];
  const totals = { instructions: 0, written: 0 };
  for (const { text, at } of searches) addPattern(totals, text, at);
  const maxBytes = Math.floor(searchWork / Math.max(totals.instructions, 1));
  for (const { call } of searches) call.maxBytes = maxBytes;
  return expression;
}

function* searchesIn(
  expression: ExpressionTree,
): Generator<{ call: CallExpression; text: string; at: number }> {
  if (expression.kind === 'call' && expression.name === 'matches' && expression.object !== null) {
    const [pattern] = expression.args;
    if (pattern?.kind === 'literal' && typeof pattern.value === 'string')
      yield { call: expression, text: pattern.value, at: pattern.at };
  }
  for (const part of subexpressionsOf(expression)) yield* searchesIn(part);
}

/**
 * Adds a pattern to the instructions of all patterns of an expression: compiled, and before alternatives are merged.
 * @throws RegexTooLargeError mostly before it is compiled
 */
function addPattern(totals: { instructions: number; written: number }, text: string, at: number): void {
  const { characters, instructions, written } = patternBounds;
  if (text.length > characters) {
    const detail = `The pattern has ${text.length} characters; at most ${characters} are allowed.`;
    throw new RegexTooLargeError(detail, at);
  }
  const { least, most } = patternSize(text);
  if (totals.instructions + least > instructions) throw tooLarge(least, totals.instructions, at);
  totals.written += most;
  if (totals.written > written) {
    const detail =
      `The alternatives of matches() are too large together: at most ${written} instructions of RE2 are allowed before ` +
      `they are merged, these have ${totals.written}. Use fewer alternatives, or shorter repeats.`;
    throw new RegexTooLargeError(detail, at);
  }
  const found = compiledPattern(text)?.programSize();
  if (found === undefined) throw new InvalidCelExpressionError(notAPattern, at);
  if (totals.instructions + found > instructions) throw tooLarge(found, totals.instructions, at);
  totals.instructions += found;
}

function tooLarge(found: number, before: number, at: number): RegexTooLargeError {
  const detail =
    `The patterns of matches() are too large together: at most ${patternBounds.instructions} instructions of RE2 are ` +
    `allowed, this one has ${found} after ${before} of those before it. Use fewer or shorter repeats.`;
  return new RegexTooLargeError(detail, at);
}
