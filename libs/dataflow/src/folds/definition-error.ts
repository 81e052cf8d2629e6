import type { InputError } from '#api';
import { ExpressionError } from '#cel';

/** A definition that cannot be used; each error with a JSON pointer into it. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';

  constructor(readonly errors: readonly InputError[]) {
    super(errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' '));
  }
}

/** What is wrong with an expression, and where in it. */
export function expressionDetail({ message, at }: { message: string; at: number }): string {
  return `${message} (at character ${at + 1})`;
}

/** What `make` makes. @throws DefinitionError at the pointer when it throws an ExpressionError. */
export function definedAt<T>(pointer: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new DefinitionError([{ pointer, detail: expressionDetail(error) }]);
  }
}
