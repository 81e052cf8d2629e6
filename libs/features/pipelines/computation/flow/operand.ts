import { EvaluationError, kindsOf, namesOfKinds, type KindSet, type CelValue } from '#cel';
import { limits, streamNamePattern, streamNameRule } from '#event';
import {
  locateExpressionErrors,
  expressionDetail,
  compileExact,
  compileKey,
  type FoldEvent,
  expressionText,
  DefinitionError,
  definitionError,
  type DefinitionMemberReader,
} from '#dataflow';
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

/** Calls `make`; translates the pointers of a DefinitionError, usually from a part of the definition to the whole. */
export function translatePointers<T>(moved: (pointer: string) => string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    throw new DefinitionError(error.errors.map((fault) => ({ ...fault, pointer: moved(fault.pointer) })));
  }
}

/** Reads the member `stream`: the name of a stream that the pipeline writes to. @throws DefinitionError */
export function targetStream(members: DefinitionMemberReader): string {
  const stream = members.text('stream', limits.streamCharacters);
  if (streamNamePattern.test(stream)) return stream;
  throw definitionError(members.at('stream'), streamNameRule);
}
