import { checkKinds } from './check-kinds.js';
import { compileParsed } from './compile.js';
import { readDecimal, scaledDecimal } from './decimal.js';
import { InvalidCelExpressionError } from './errors.js';
import { subexpressionsOf, type ExpressionTree } from './expression-tree.js';
import { kinds, namesOfKinds, type KindSet } from './kinds.js';
import { parseExpression } from './parse.js';
import type { Variable } from './variable.js';

/**
 * Parses an expression on the variable that can return one of the desired kinds of values.
 * @throws InvalidCelExpressionError if the text is no such expression
 */
export function parseChecked(text: string, variable: Variable, desired: KindSet): ExpressionTree {
  const needed = `${namesOfKinds(desired)} is needed.`;
  return withKind(parseWithLiterals(text), variable, { desired, needed });
}

/** Parses a condition. @throws InvalidCelExpressionError if it can never be true or false */
export function parseCondition(text: string, variable: Variable): ExpressionTree {
  const expression = parseWithLiterals(text);
  checkComparisons(expression);
  const needed = 'a condition is needed, which must be true or false: compare it with something.';
  return withKind(expression, variable, { desired: kinds.boolean, needed });
}

function withKind(
  expression: ExpressionTree,
  variable: Variable,
  { desired, needed }: { desired: KindSet; needed: string },
): ExpressionTree {
  // `compileParsed` reports unknown names, and `checkKinds` after it reports operations without a meaning.
  compileParsed(expression, variable, { mayBeText: (desired & kinds.string) !== 0 });
  const found = checkKinds(expression, variable);
  if (found & desired) return expression;
  throw new InvalidCelExpressionError(`This is ${namesOfKinds(found)}, but ${needed}`, expression.at);
}

/** Rejects comparisons with a literal list or object, which match nothing. @throws InvalidCelExpressionError */
export function checkComparisons(expression: ExpressionTree): void {
  for (const part of comparedIn(expression)) {
    if (part.kind !== 'list' && part.kind !== 'map') continue;
    const name = part.kind === 'list' ? 'A list' : 'An object';
    throw new InvalidCelExpressionError(
      `${name} is not compared in a where: compare its members, or use "in".`,
      part.at,
    );
  }
  for (const part of subexpressionsOf(expression)) checkComparisons(part);
}

function comparedIn(expression: ExpressionTree): readonly ExpressionTree[] {
  if (expression.kind !== 'binary') return [];
  const { operator, left, right } = expression;
  if (operator === '==' || operator === '!=') return [left, right];
  return operator === 'in' ? [left, ...(right.kind === 'list' ? right.items : [])] : [];
}

function parseWithLiterals(text: string): ExpressionTree {
  const expression = parseExpression(text);
  checkLiterals(expression, text);
  return expression;
}

const number = /[\d.]+(?:[eE][+-]?\d+)?/y;

/**
 * Rejects number literals with more digits than a double: exact arithmetic would use a different number than the text
 * says.
 * @throws InvalidCelExpressionError
 */
function checkLiterals(expression: ExpressionTree, text: string): void {
  if (expression.kind === 'literal' && typeof expression.value === 'number') {
    checkNumber(expression.value, { text, at: expression.at });
  }
  for (const part of subexpressionsOf(expression)) checkLiterals(part, text);
}

function checkNumber(value: number, { text, at }: { text: string; at: number }): void {
  // A literal starts with its minus signs, and with any spaces and parentheses before the digits.
  number.lastIndex = at + (/^[-\s(]*/.exec(text.slice(at))?.[0].length ?? 0);
  const written = number.exec(text)?.[0];
  if (written === undefined) return;
  const [sent, read] = [readDecimal(written), scaledDecimal(Math.abs(value))];
  if (sent && read && sent.units === read.units && sent.scale === read.scale) return;
  throw new InvalidCelExpressionError(
    'The number has more digits than can be computed with: write at most 15.',
    at,
  );
}
