import 'reflect-metadata';
import { JSONSchema } from 'class-validator-jsonschema';
import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';

const parts = Symbol('schema parts');

/** Adds members to the JSON Schema of a property. `JSONSchema` would drop the members of other decorators. */
export function JsonSchemaPart(part: Record<string, unknown>): PropertyDecorator {
  return (target, key) => {
    const present = Reflect.getMetadata(parts, target, key) as Record<string, unknown> | undefined;
    const merged = { ...present, ...part };
    Reflect.defineMetadata(parts, merged, target, key);
    JSONSchema(merged)(target, String(key));
  };
}

/** Decorator of an answer's member that is always present and may be null. */
export function Nullable(type: 'string' | 'integer', more: Record<string, unknown> = {}): PropertyDecorator {
  const validate = (value: unknown) =>
    value === null || typeof value === (type === 'string' ? 'string' : 'number');
  return applyDecorators(
    ValidateBy({ name: 'isNullable', validator: { validate } }),
    JsonSchemaPart({ type: [type, 'null'], ...more }),
  );
}
