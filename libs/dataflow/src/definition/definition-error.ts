import type { InputError } from '#api';
import { ExpressionError } from '#cel';

/** An error at one location of a definition. */
export interface DefinitionProblem extends InputError {
  /** True if the location holds an expression and the expression is invalid. */
  readonly inExpression?: true;
}

/** The definition is invalid. Each error has a JSON pointer into the definition. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';

  constructor(readonly errors: readonly DefinitionProblem[]) {
    super(errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' '));
  }
}

/** Returns the message of an expression error with its position, counted from 1. */
export function expressionDetail({ message, at }: { message: string; at: number }): string {
  return `${message} (at character ${at + 1})`;
}

/** Calls `make` and returns its result. @throws DefinitionError at the pointer if `make` throws an ExpressionError */
export function locateExpressionErrors<T>(pointer: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new DefinitionError([{ pointer, detail: expressionDetail(error), inExpression: true }]);
  }
}

/**
 * Calls `make` and returns its result. If `make` throws a DefinitionError, translates the pointers of its errors with
 * `moved` into pointers into the whole definition.
 */
export function translatePointers<T>(moved: (pointer: string) => string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    throw new DefinitionError(error.errors.map((fault) => ({ ...fault, pointer: moved(fault.pointer) })));
  }
}

/**
 * Calls `read` and returns its result. If `read` throws a DefinitionError, adds its errors to `errors` and returns
 * undefined. A client thus receives all errors of a definition at once.
 */
export function collectErrors<T>(errors: DefinitionProblem[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    errors.push(...error.errors);
    return undefined;
  }
}
