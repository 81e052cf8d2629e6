import type { Expression } from '#cel';
import { checkKinds } from '#cel';
import { checkComparisons } from '#cel';
import { compileCondition, compileParsed } from '#cel';
import { ExpressionError } from '#cel';
import { checkLiterals } from '#cel';
import { kinds, namesOfKinds, type Kinds } from '#cel';
import { parseExpression } from '#cel';
import type { Value } from '#cel';
import type { FoldEvent } from './fold-event.js';

type Run = (event: FoldEvent) => Value;

/**
 * An expression of a definition, compiled once.
 * @param wanted the kinds of values of which it has to be able to have one.
 * @throws ExpressionError when it is no expression, or can have no such value for any event.
 */
export function compileExact(text: string, wanted: Kinds): Run {
  const run = compileParsed(checked(text, wanted));
  return (event) => run(event.value);
}

/** The same for a `where`, which has the meaning that it has in queries. */
export function compileWhere(text: string): (event: FoldEvent) => boolean {
  const expression = checked(text, kinds.boolean);
  checkComparisons(expression);
  const run = compileCondition(expression);
  return (event) => run(event.value);
}

function checked(text: string, wanted: Kinds): Expression {
  const expression = parseExpression(text);
  checkLiterals(expression, text);
  // First what does not exist at all, then what makes no sense.
  compileParsed(expression);
  const found = checkKinds(expression);
  if (found & wanted) return expression;
  const detail = `This is ${namesOfKinds(found)}, but ${namesOfKinds(wanted)} is needed.`;
  throw new ExpressionError(detail, expression.at);
}
