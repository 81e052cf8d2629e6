import {
  checkComparisons,
  checkKinds,
  checkLiterals,
  compileCondition,
  compileParsed,
  InvalidCelExpressionError,
  kinds,
  namesOfKinds,
  parseExpression,
  type CelValue,
  type ExpressionTree,
  type KindSet,
} from '#cel';
import { eventVariable } from '../expressions/event-variable.js';
import type { FoldEvent } from './fold-event.js';

type EvaluateEvent = (event: FoldEvent) => CelValue;

/**
 * Compiles a CEL expression of a projection or pipeline definition. Arithmetic is exact on decimals.
 * @param wanted the kinds of values of which the expression must be able to return one
 * @throws InvalidCelExpressionError if the text is not a valid expression, or can return none of the wanted kinds for any event
 */
export function compileExact(text: string, wanted: KindSet): EvaluateEvent {
  const run = compileParsed(checked(text, wanted), eventVariable);
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
  const run = compileCondition(expression, eventVariable);
  return (event) => run(event.value);
}

function checked(text: string, wanted: KindSet): ExpressionTree {
  const expression = parseExpression(text);
  checkLiterals(expression, text);
  // `compileParsed` reports unknown names, and `checkKinds` after it reports operations without a meaning.
  compileParsed(expression, eventVariable, { mayBeText: (wanted & kinds.string) !== 0 });
  const found = checkKinds(expression, eventVariable);
  if (found & wanted) return expression;
  const detail = `This is ${namesOfKinds(found)}, but ${namesOfKinds(wanted)} is needed.`;
  throw new InvalidCelExpressionError(detail, expression.at);
}
