import { ProblemError } from '#api';
import { InvalidSchemaError } from '#json-schema';
import { compileDataSchema } from '#writing';
import './schema-problems.js';

/**
 * Returns the schema of a body `{"schema": …}` exactly as it was sent, after it has compiled.
 * @throws ProblemError 400 `invalid_schema` that names the position of each error
 */
export function validatedSchema({ schema }: { schema: unknown }): unknown {
  try {
    compileDataSchema(schema);
    return schema;
  } catch (error) {
    if (!(error instanceof InvalidSchemaError)) throw error;
    const errors = error.errors.map(({ pointer, detail }) => ({ pointer: `/schema${pointer}`, detail }));
    throw new ProblemError('invalid_schema', error.message, { errors });
  }
}
