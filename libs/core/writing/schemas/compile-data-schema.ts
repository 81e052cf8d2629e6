import { compileSchema, type CompiledSchema } from '#json-schema';

/** Compiles a JSON Schema for the `data` of events, which is always an object. @throws InvalidSchemaError */
export function compileDataSchema(schema: unknown): CompiledSchema {
  return compileSchema(schema, { pointer: '/data', objectsOnly: true });
}
