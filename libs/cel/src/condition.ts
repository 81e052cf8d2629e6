import type { ExpressionTree } from './expression-tree.js';
import { checkComparisons } from './check-comparisons.js';
import { checkKinds, storedEventKinds } from './check-kinds.js';
import { checkLiterals } from './check-literals.js';
import { compileParsed } from './compile.js';
import { InvalidCelExpressionError } from './errors.js';
import { kinds, namesOfKinds } from './kinds.js';
import { parseExpression } from './parse.js';

/**
 * Parses the `where` condition of a query on stored events, which (unlike events in the log) have a version.
 * @throws InvalidCelExpressionError if the text is not an expression, or cannot be true or false for any event, whatever its
 *   `data` and `metadata` contain
 */
export function parseCondition(text: string): ExpressionTree {
  const expression = parseExpression(text);
  checkLiterals(expression, text);
  checkComparisons(expression);
  // `compileParsed` reports unknown names, and `checkKinds` after it reports operations without a meaning.
  compileParsed(expression);
  const found = checkKinds(expression, storedEventKinds);
  if (found & kinds.boolean) return expression;
  const detail = `This is ${namesOfKinds(found)}, but a condition is needed, which must be true or false: compare it with something.`;
  throw new InvalidCelExpressionError(detail, expression.at);
}
