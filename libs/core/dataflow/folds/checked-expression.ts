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
 * Compiles an expression with exact arithmetic on decimals.
 * @throws InvalidCelExpressionError if the text is not a valid expression, or can return none of the wanted kinds
 */
export function compileExact(text: string, wanted: KindSet): EvaluateEvent {
  const run = compileParsed(checked(text, wanted), eventVariable);
  return (event) => run(event.value);
}

/**
 * Compiles a source's `where` as in queries: an event without a value does not match.
 * @throws InvalidCelExpressionError
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
