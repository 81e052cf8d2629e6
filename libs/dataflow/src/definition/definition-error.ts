import type { InputError } from '#api';
import { ExpressionError } from '#cel';

/** What is wrong at one place of a definition. */
export interface DefinitionFault extends InputError {
  /** True if the place holds an expression, and the expression is wrong. */
  readonly inExpression?: true;
}

/** A definition cannot be used; each error has a JSON pointer into it. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';

  constructor(readonly errors: readonly DefinitionFault[]) {
    super(errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' '));
  }
}

/** Says what is wrong with an expression, and where in it. */
export function expressionDetail({ message, at }: { message: string; at: number }): string {
  return `${message} (at character ${at + 1})`;
}

/** Returns what `make` returns. @throws DefinitionError at the pointer if `make` throws an ExpressionError */
export function definedAt<T>(pointer: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new DefinitionError([{ pointer, detail: expressionDetail(error), inExpression: true }]);
  }
}

/** The same for what throws a DefinitionError: `moved` says where its pointers are in the whole definition. */
export function definedUnder<T>(moved: (pointer: string) => string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    throw new DefinitionError(error.errors.map((fault) => ({ ...fault, pointer: moved(fault.pointer) })));
  }
}

/**
 * Returns what `read` returns. If it throws a DefinitionError, adds its errors to the others and returns undefined, so that
 * a client learns everything that is wrong at once.
 */
export function collecting<T>(errors: DefinitionFault[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    errors.push(...error.errors);
    return undefined;
  }
}
