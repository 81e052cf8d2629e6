import { jsonPointerTo } from '#json';
import { keywords, type SchemaKeyword } from './keywords.js';
import { isObject, isSchema, type JsonSchema, type SchemaObject } from './schema.js';

/**
 * A schema directly inside another one, with its JSON pointer from the document's root, and the values it applies to.
 */
interface Subschema {
  pointer: string;
  schema: JsonSchema;
  about: NonNullable<SchemaKeyword['about']>;
}

/**
 * Yields the schemas directly inside a schema, with pointers from the document's root. Values that are not
 * schemas are skipped.
 */
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

/**
 * Returns all schemas of a document by their pointers, the outermost one first. The nesting of the document
 * is limited.
 */
export function subschemasOf(root: JsonSchema): Map<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  const add = (schema: JsonSchema, pointer: string): void => {
    found.set(pointer, schema);
    if (isObject(schema)) for (const child of childrenOf(schema, pointer)) add(child.schema, child.pointer);
  };
  add(root, '');
  return found;
}
