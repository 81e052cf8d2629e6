import { jsonPointerTo } from '#json';
import { keywords, type SchemaKeyword } from './keywords.js';

/** A JSON Schema: an object whose members are keywords, `true` (permits every value) or `false` (permits none). */
export type JsonSchema = boolean | SchemaObject;
/** A JSON Schema that is an object: its keywords with their values. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** Whether a JSON value can be a schema: a boolean or an object. The keywords of the schema are not checked. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value);
}

/** Whether a JSON value is an object, and not null or an array. */
export function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON Schema document that is valid, limited, self-contained, and validates values in bounded time. */
export interface CheckedSchemaDocument {
  root: JsonSchema;
  /** Every schema in the document by its JSON pointer; '' is first. */
  subschemas: ReadonlyMap<string, JsonSchema>;
  /** The pointer of the referenced schema, by the pointer of the schema that has the `$ref`. */
  targets: ReadonlyMap<string, string>;
  /** Returns the validation steps of the schema at a pointer for one value, without its subschemas. */
  weightOf: (pointer: string) => number;
}

/** A schema inside another one, with its JSON pointer from the root, and the values it applies to. */
interface Subschema {
  pointer: string;
  schema: JsonSchema;
  about: NonNullable<SchemaKeyword['about']>;
}

/** Yields the schemas directly inside a schema; skips values that are not schemas. */
export function* childrenOf(schema: SchemaObject, pointer: string): Generator<Subschema> {
  for (const [name, value] of Object.entries(schema)) {
    const { holds, about } = keywords.get(name) ?? {};
    if (!holds || !about) continue;
    const at = jsonPointerTo(pointer, name);
    if (holds === 'schema') {
      if (isSchema(value)) yield { pointer: at, schema: value, about };
    } else if (isObject(value) || Array.isArray(value))
      for (const [key, member] of Object.entries(value))
        if (isSchema(member)) yield { pointer: jsonPointerTo(at, key), schema: member, about };
  }
}

/** Returns all schemas of a document by their pointers, the outermost first. The nesting is limited. */
export function subschemasOf(root: JsonSchema): Map<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  const add = (schema: JsonSchema, pointer: string): void => {
    found.set(pointer, schema);
    if (isObject(schema)) for (const child of childrenOf(schema, pointer)) add(child.schema, child.pointer);
  };
  add(root, '');
  return found;
}
