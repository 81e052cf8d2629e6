/**
 * A JSON Schema: an object whose members are keywords, `true` (permits every value) or `false` (permits
 * none).
 */
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
