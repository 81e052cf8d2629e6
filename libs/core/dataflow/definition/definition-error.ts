import type { InputProblem } from '#api';
import { InvalidCelExpressionError } from '#cel';

/** One error in the definition of a projection or a pipeline, with a JSON pointer to its location. */
export interface DefinitionProblem extends InputProblem {
  /** True if the location should contain a CEL expression and the expression is invalid. */
  readonly inExpression?: true;
}

/** Error: the definition of a projection or a pipeline is invalid. Lists all problems, each with its JSON pointer. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';

  constructor(readonly errors: readonly DefinitionProblem[]) {
    super(errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' '));
  }
}

/** Returns the message of an error in a CEL expression, with its position in the text, counted from 1. */
export function expressionDetail({ message, at }: { message: string; at: number }): string {
  return `${message} (at character ${at + 1})`;
}

/** Calls `make`; turns an InvalidCelExpressionError into a DefinitionError with the same message at the pointer. */
export function locateExpressionErrors<T>(pointer: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof InvalidCelExpressionError)) throw error;
    throw new DefinitionError([{ pointer, detail: expressionDetail(error), inExpression: true }]);
  }
}

/** Calls `read`; adds the problems of a DefinitionError to `errors`, so that all are reported together. */
export function collectErrors<T>(errors: DefinitionProblem[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    errors.push(...error.errors);
    return undefined;
  }
}
