import { isObject, type SchemaObject } from './schema.js';

/** Whether a schema names a property that every JavaScript object seems to have, such as `constructor`. */
export function namesInherited(schema: SchemaObject): boolean {
  const { properties, required, dependentRequired, dependentSchemas } = schema;
  const names = [properties, dependentRequired, dependentSchemas].flatMap((value) =>
    Object.keys(value ?? {}),
  );
  const lists = [required, ...(isObject(dependentRequired) ? Object.values(dependentRequired) : [])];
  return [...names, ...(lists.flat() as string[])].some((name) => name in Object.prototype);
}
