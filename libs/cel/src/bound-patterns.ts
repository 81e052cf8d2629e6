import { leastInstructions, patternBounds } from '#api';
import type { Expression } from './expression.js';
import { ExpensiveExpressionError, ExpressionError } from './errors.js';
import { partsOf } from './parts-of.js';
import { compiledPattern, notAPattern } from './pattern.js';

type Call = Extract<Expression, { kind: 'call' }>;

/**
 * Checks the patterns of `matches` that are written out, and says on each call how long a text it may search: an
 * evaluation's searches take at most `patternBounds.workOfExpression` together, in each engine.
 * @throws ExpressionError for a pattern that is no regular expression, ExpensiveExpressionError for one that is too
 * large, alone or with those before it
 */
export function boundPatterns(expression: Expression): Expression {
  const calls = [...searches(expression)];
  let instructions = 0;
  for (const call of calls) instructions += instructionsOf(call, patternBounds.instructions - instructions);
  const maxBytes = Math.floor(patternBounds.workOfExpression / Math.max(instructions, 1));
  for (const call of calls) call.maxBytes = maxBytes;
  return expression;
}

function* searches(expression: Expression): Generator<Call> {
  if (expression.kind === 'call' && writtenPattern(expression)) yield expression;
  for (const part of partsOf(expression)) yield* searches(part);
}

function writtenPattern({ name, object, args: [pattern] }: Call): { text: string; at: number } | undefined {
  if (name !== 'matches' || object === null || pattern?.kind !== 'literal') return undefined;
  return typeof pattern.value === 'string' ? { text: pattern.value, at: pattern.at } : undefined;
}

function instructionsOf(call: Call, left: number): number {
  const { text, at } = writtenPattern(call) as { text: string; at: number };
  if (text.length > patternBounds.characters) {
    throw tooExpensive(
      `The pattern has ${text.length} characters; at most ${patternBounds.characters} are allowed.`,
      at,
    );
  }
  const taken = Math.max(leastInstructions(text), 1);
  const found = taken > left ? taken : compiledPattern(text)?.programSize();
  if (found === undefined) throw new ExpressionError(notAPattern, at);
  if (found <= left) return found;
  const most = patternBounds.instructions;
  const detail =
    `The patterns of matches() are too large together: at most ${most} instructions of RE2 are allowed, ` +
    `here ${found} more follow on ${most - left}. Use fewer or shorter repeats.`;
  throw tooExpensive(detail, at);
}

function tooExpensive(detail: string, at: number): ExpensiveExpressionError {
  return new ExpensiveExpressionError(detail, at);
}
