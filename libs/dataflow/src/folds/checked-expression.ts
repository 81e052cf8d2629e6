import type { ExpressionTree } from '#cel';
import { checkKinds } from '#cel';
import { checkComparisons } from '#cel';
import { compileCondition, compileParsed } from '#cel';
import { InvalidCelExpressionError } from '#cel';
import { checkLiterals } from '#cel';
import { kinds, namesOfKinds, type KindSet } from '#cel';
import { parseExpression } from '#cel';
import type { CelValue } from '#cel';
import type { FoldEvent } from './fold-event.js';

type EvaluateEvent = (event: FoldEvent) => CelValue;

/**
 * Compiles a CEL expression of a projection or pipeline definition. Arithmetic is exact on decimals.
 * @param wanted the kinds of values of which the expression must be able to return one
 * @throws InvalidCelExpressionError if the text is not a valid expression, or can return none of the wanted kinds for any event
 */
export function compileExact(text: string, wanted: KindSet): EvaluateEvent {
  const run = compileParsed(checked(text, wanted));
  return (event) => run(event.value);
}

/**
 * Compiles the `where` condition of a source, with the same meaning as in queries: an event for which the condition has
 * no value does not match.
 * @throws InvalidCelExpressionError if the condition is not valid
 */
export function compileWhere(text: string): (event: FoldEvent) => boolean {
  const expression = checked(text, kinds.boolean);
  checkComparisons(expression);
  const run = compileCondition(expression);
  return (event) => run(event.value);
}

function checked(text: string, wanted: KindSet): ExpressionTree {
  const expression = parseExpression(text);
  checkLiterals(expression, text);
  // `compileParsed` reports unknown names, and `checkKinds` after it reports operations without a meaning.
  compileParsed(expression, { mayBeText: (wanted & kinds.string) !== 0 });
  const found = checkKinds(expression);
  if (found & wanted) return expression;
  const detail = `This is ${namesOfKinds(found)}, but ${namesOfKinds(wanted)} is needed.`;
  throw new InvalidCelExpressionError(detail, expression.at);
}
