import type { Schema } from './schema.js';

/** A JSON Schema that has been looked through: it is valid, small, refers to itself only, and can be checked in time. */
export interface SchemaDocument {
  root: Schema;
  /** Every schema in it by its JSON pointer, '' first. */
  subschemas: ReadonlyMap<string, Schema>;
  /** Where the `$ref` of the schema at a pointer leads. */
  targets: ReadonlyMap<string, string>;
  /** Steps that the schema at a pointer takes of its own for one value. */
  weightOf: (pointer: string) => number;
}
