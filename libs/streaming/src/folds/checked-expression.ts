import type { Expression } from '#contracts';
import { doubles } from '../expressions/arithmetic.js';
import { checkKinds } from '../expressions/check-kinds.js';
import { compileParsed } from '../expressions/compile.js';
import { ExpressionError } from '../expressions/errors.js';
import { exact } from '../expressions/exact-arithmetic.js';
import { checkLiterals } from '../expressions/check-literals.js';
import { namesOfKinds, type Kinds } from '../expressions/kinds.js';
import { parseExpression } from '../expressions/parse.js';
import type { Value } from '../expressions/values.js';
import type { FoldEvent } from './fold-event.js';

type Run = (event: FoldEvent) => Value;

/**
 * An expression of a definition, compiled once: `value` and `key` compute exactly.
 * @param wanted the kinds of values of which it has to be able to have one.
 * @throws ExpressionError when it is no expression, or can have no such value for any event.
 */
export function compileExact(text: string, wanted: Kinds): Run {
  const parsed = checked(text, wanted);
  checkLiterals(parsed, text);
  const run = compileParsed(parsed, exact);
  return (event) => run(event.exact);
}

/** The same for `where`, which computes with doubles, as queries do. */
export function compileRounded(text: string, wanted: Kinds): Run {
  const run = compileParsed(checked(text, wanted), doubles);
  return (event) => run(event.rounded);
}

function checked(text: string, wanted: Kinds): Expression {
  const expression = parseExpression(text);
  // First what does not exist at all, then what makes no sense.
  compileParsed(expression);
  const found = checkKinds(expression);
  if (found & wanted) return expression;
  const detail = `This is ${namesOfKinds(found)}, but ${namesOfKinds(wanted)} is needed.`;
  throw new ExpressionError(detail, expression.at);
}
