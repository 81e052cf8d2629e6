import type { ExpressionTree } from './expression-tree.js';
import { InvalidCelExpressionError } from './errors.js';
import { subexpressionsOf } from './subexpressions-of.js';

/**
 * Rejects a comparison with a literal list or object in a `where`, which no value would match.
 * @throws InvalidCelExpressionError
 */
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
