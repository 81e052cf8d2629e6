import 'reflect-metadata';
import { JSONSchema } from 'class-validator-jsonschema';

const parts = Symbol('schema parts');

/**
 * Adds members to the JSON Schema of a property. Unlike `JSONSchema`, it keeps the members that other decorators have
 * added.
 */
export function JsonSchemaPart(part: Record<string, unknown>): PropertyDecorator {
  return (target, key) => {
    const present = Reflect.getMetadata(parts, target, key) as Record<string, unknown> | undefined;
    const merged = { ...present, ...part };
    Reflect.defineMetadata(parts, merged, target, key);
    JSONSchema(merged)(target, String(key));
  };
}
