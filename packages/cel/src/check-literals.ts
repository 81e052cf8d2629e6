import type { ExpressionTree } from './expression-tree.js';
import { readDecimal, scaledDecimal } from './decimal.js';
import { InvalidCelExpressionError } from './errors.js';
import { subexpressionsOf } from './subexpressions-of.js';

const number = /[\d.]+(?:[eE][+-]?\d+)?/y;

/**
 * Rejects number literals with more digits than a double: exact arithmetic would use a different number than the text
 * says.
 * @throws InvalidCelExpressionError
 */
export function checkLiterals(expression: ExpressionTree, text: string): void {
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
