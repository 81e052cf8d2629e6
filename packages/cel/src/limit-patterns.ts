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
  const calls = [...searches(expression)];
  const taken = { instructions: 0, written: 0 };
  for (const call of calls) take(taken, call);
  const maxBytes = Math.floor(searchWork / Math.max(taken.instructions, 1));
  for (const call of calls) call.maxBytes = maxBytes;
  return expression;
}

function* searches(expression: ExpressionTree): Generator<CallExpression> {
  if (expression.kind === 'call' && writtenPattern(expression)) yield expression;
  for (const part of subexpressionsOf(expression)) yield* searches(part);
}

function writtenPattern({
  name,
  object,
  args: [pattern],
}: CallExpression): { text: string; at: number } | undefined {
  if (name !== 'matches' || object === null || pattern?.kind !== 'literal') return undefined;
  return typeof pattern.value === 'string' ? { text: pattern.value, at: pattern.at } : undefined;
}

/** The instructions of all patterns of an expression: compiled, and before alternatives are merged. */
interface PatternTotals {
  instructions: number;
  written: number;
}

/** Adds the pattern of a call to the totals. @throws RegexTooLargeError mostly before it is compiled */
function take(taken: PatternTotals, call: CallExpression): void {
  const { text, at } = writtenPattern(call) as { text: string; at: number };
  const { characters, instructions, written } = patternBounds;
  if (text.length > characters) {
    throw tooExpensive(`The pattern has ${text.length} characters; at most ${characters} are allowed.`, at);
  }
  const { least, most } = patternSize(text);
  if (taken.instructions + least > instructions) throw tooLarge(least, taken.instructions, at);
  taken.written += most;
  if (taken.written > written) {
    const detail =
      `The alternatives of matches() are too large together: at most ${written} instructions of RE2 are allowed before ` +
      `they are merged, these have ${taken.written}. Use fewer alternatives, or shorter repeats.`;
    throw tooExpensive(detail, at);
  }
  const found = compiledPattern(text)?.programSize();
  if (found === undefined) throw new InvalidCelExpressionError(notAPattern, at);
  if (taken.instructions + found > instructions) throw tooLarge(found, taken.instructions, at);
  taken.instructions += found;
}

function tooLarge(found: number, taken: number, at: number): RegexTooLargeError {
  const detail =
    `The patterns of matches() are too large together: at most ${patternBounds.instructions} instructions of RE2 are ` +
    `allowed, this one has ${found} after ${taken} of those before it. Use fewer or shorter repeats.`;
  return tooExpensive(detail, at);
}

function tooExpensive(detail: string, at: number): RegexTooLargeError {
  return new RegexTooLargeError(detail, at);
}
