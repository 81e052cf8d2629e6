import type { ExpressionTree } from './expression-tree.js';
import { checkComparisons } from './check-comparisons.js';
import { checkKinds } from './check-kinds.js';
import { checkLiterals } from './check-literals.js';
import { compileParsed } from './compile.js';
import { InvalidCelExpressionError } from './errors.js';
import { kinds, namesOfKinds } from './kinds.js';
import { parseExpression } from './parse.js';
import type { Variable } from './variable.js';

/** Parses a condition. @throws InvalidCelExpressionError if it can never be true or false */
export function parseCondition(text: string, variable: Variable): ExpressionTree {
  const expression = parseExpression(text);
  checkLiterals(expression, text);
  checkComparisons(expression);
  // `compileParsed` reports unknown names, and `checkKinds` after it reports operations without a meaning.
  compileParsed(expression, variable);
  const found = checkKinds(expression, variable);
  if (found & kinds.boolean) return expression;
  const detail = `This is ${namesOfKinds(found)}, but a condition is needed, which must be true or false: compare it with something.`;
  throw new InvalidCelExpressionError(detail, expression.at);
}
