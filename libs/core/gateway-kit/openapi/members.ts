import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsArray, IsInt, Min, ValidateNested } from 'class-validator';
import { JsonSchemaPart } from './schema.js';

/** Decorator of a member that is a whole number of at least `least`. */
export function Count(description: string, least = 0): PropertyDecorator {
  return applyDecorators(JsonSchemaPart({ description }), Min(least), IsInt());
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
