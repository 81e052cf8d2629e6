import type { JsonSchema } from './schema.js';

/**
 * A JSON Schema document that has passed all checks: it is valid, within the size limits, refers only to itself, and
 * validates any value in bounded time.
 */
export interface CheckedSchemaDocument {
  root: JsonSchema;
  /** Every schema in the document by its JSON pointer; '' is first. */
  subschemas: ReadonlyMap<string, JsonSchema>;
  /**
   * For each schema with a `$ref`, the pointer of the referenced schema, by the pointer of the referring
   * schema.
   */
  targets: ReadonlyMap<string, string>;
  /**
   * Returns the number of validation steps that the schema at a pointer takes for one value, without its subschemas.
   */
  weightOf: (pointer: string) => number;
}
