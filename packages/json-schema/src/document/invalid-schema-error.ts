import type { SchemaProblem } from '../schema-problem.js';
import { schemaBounds } from '../bounds.js';

/**
 * Error: a JSON Schema cannot be used. The error lists up to 20 problems of the schema, with JSON pointers into the
 * schema.
 */
export class InvalidSchemaError extends Error {
  override readonly name = 'InvalidSchemaError';

  constructor(
    message: string,
    readonly errors: readonly SchemaProblem[],
  ) {
    super(message);
  }
}

/** Throws an InvalidSchemaError if the list of errors is not empty. */
export function throwIfInvalid(found: readonly SchemaProblem[]): void {
  if (found.length > 0) throwInvalidSchema(found);
}

/** @throws InvalidSchemaError always */
export function throwInvalidSchema(found: readonly SchemaProblem[]): never {
  const places = found.length === 1 ? 'one place' : `${found.length} places`;
  const errors = found.slice(0, schemaBounds.errors);
  throw new InvalidSchemaError(
    `The JSON Schema cannot be used: it is wrong in ${places}. See errors.`,
    errors.map(({ pointer, detail }) => ({ pointer: shortened(pointer), detail })),
  );
}

function shortened(pointer: string): string {
  return pointer.length > 300 ? `${pointer.slice(0, 300)}…` : pointer;
}
