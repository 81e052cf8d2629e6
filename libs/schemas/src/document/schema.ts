/** A JSON Schema whose keywords are objects' members; `true` permits everything, `false` nothing. */
export type Schema = boolean | SchemaObject;
export type SchemaObject = Readonly<Record<string, unknown>>;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isObject(value);
}

export function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
