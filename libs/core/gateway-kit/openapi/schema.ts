import 'reflect-metadata';
import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsArray, IsInt, IsNumber, Min, ValidateBy, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';

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

/** Decorator of a member that is a whole number of at least `least`. */
export function Count(description: string, least = 0): PropertyDecorator {
  return applyDecorators(JsonSchemaPart({ description }), Min(least), IsInt());
}

/** Decorator of a member that is the lag of a consumer group in seconds. */
export function LagSeconds(): PropertyDecorator {
  const description =
    'Seconds for which the oldest record that has not been processed has been waiting, at least. They are exact to 15 seconds, ' +
    'and counted from the start of the gateway that answers.';
  return applyDecorators(JsonSchemaPart({ description }), Min(0), IsNumber());
}

/** Decorator of a member that is a list of objects of one class. */
export function ListOf(element: new () => object, description?: string): PropertyDecorator {
  return applyDecorators(
    ...(description === undefined ? [] : [JsonSchemaPart({ description })]),
    Type(() => element),
    ValidateNested({ each: true }),
    IsArray(),
  );
}

/** Decorator of a member that is an object of one class. */
export function ObjectOf(type: new () => object): PropertyDecorator {
  return applyDecorators(
    Type(() => type),
    ValidateNested(),
  );
}
