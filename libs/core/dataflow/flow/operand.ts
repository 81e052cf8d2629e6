import { EvaluationError, kindsOf, namesOfKinds, type KindSet, type CelValue } from '#cel';
import {
  locateExpressionErrors,
  translatePointers,
  expressionDetail,
} from '../definition/definition-error.js';
import { expressionText } from '../definition/members.js';
import { compileExact } from '../folds/checked-expression.js';
import { compileKey } from '../folds/compile-key.js';
import type { FoldEvent } from '../folds/fold-event.js';
import { OperatorError } from './step.js';

/** Maximum number of characters of a CEL expression in a pipeline definition. */
export const expressionCharacters = 4096;

/**
 * Compiles an expression with exact arithmetic. The function throws OperatorError if the expression has no value, or
 * one of a kind that is not in `desired`.
 * @throws DefinitionError at the pointer
 */
export function compileOperand(
  expression: unknown,
  pointer: string,
  desired: KindSet,
): (event: FoldEvent) => CelValue {
  const source = expressionText(expression, pointer, expressionCharacters);
  const run = locateExpressionErrors(pointer, () => compileExact(source, desired));
  return (event) => {
    const value = evaluated(run, event, pointer);
    const kind = kindsOf(value);
    if (kind & desired) return value;
    throw new OperatorError(
      pointer,
      `This is ${namesOfKinds(kind)}, but ${namesOfKinds(desired)} is needed.`,
    );
  };
}

/**
 * Compiles a key expression, by the same rules as the key of a projection: null means that the event has no key. The
 * function throws OperatorError for an invalid key.
 * @throws DefinitionError at the pointer
 */
export function compileOperandKey(expression: unknown, pointer: string): (event: FoldEvent) => string | null {
  const source = expressionText(expression, pointer, expressionCharacters);
  const keyOf = translatePointers(
    () => pointer,
    () => compileKey(source),
  );
  return (event) => {
    const { key, refused } = keyOf(event);
    if (refused) throw new OperatorError(pointer, refused.detail);
    return key;
  };
}

function evaluated(run: (event: FoldEvent) => CelValue, event: FoldEvent, pointer: string): CelValue {
  try {
    return run(event);
  } catch (error) {
    if (error instanceof EvaluationError) throw new OperatorError(pointer, expressionDetail(error));
    throw error;
  }
}
