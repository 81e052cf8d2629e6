import { schemaBounds } from '../bounds.js';

/** One error in a schema, or in a value that does not fit its schema. */
export interface SchemaProblem {
  /** JSON pointer (RFC 6901) to what is wrong. */
  pointer: string;
  /** What is wrong, as a sentence without its subject: `must be at least 1`. */
  detail: string;
}

/** A JSON Schema cannot be used. Lists up to 20 problems, with JSON pointers into the schema. */
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
