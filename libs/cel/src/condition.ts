import type { Expression } from './expression.js';
import { checkComparisons } from './check-comparisons.js';
import { checkKinds, storedEventKinds } from './check-kinds.js';
import { checkLiterals } from './check-literals.js';
import { compileParsed } from './compile.js';
import { ExpressionError } from './errors.js';
import { kinds, namesOfKinds } from './kinds.js';
import { parseExpression } from './parse.js';

/**
 * Reads the condition of a query, on stored events: those have a version.
 * @throws ExpressionError when the text is no expression, or can be true or false for no event, whatever its `data` and
 * `metadata` hold.
 */
export function parseCondition(text: string): Expression {
  const expression = parseExpression(text);
  checkLiterals(expression, text);
  checkComparisons(expression);
  // First what does not exist at all, then what makes no sense.
  compileParsed(expression);
  const found = checkKinds(expression, storedEventKinds);
  if (found & kinds.boolean) return expression;
  const detail = `This is ${namesOfKinds(found)}, but a condition is needed, which is true or false: compare it with something.`;
  throw new ExpressionError(detail, expression.at);
}
