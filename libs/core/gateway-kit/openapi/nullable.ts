import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { JsonSchemaPart } from './schema.js';

/** Decorator of an answer's member that is always present and may be null. */
export function Nullable(type: 'string' | 'integer', more: Record<string, unknown> = {}): PropertyDecorator {
  const validate = (value: unknown) =>
    value === null || typeof value === (type === 'string' ? 'string' : 'number');
  return applyDecorators(
    ValidateBy({ name: 'isNullable', validator: { validate } }),
    JsonSchemaPart({ type: [type, 'null'], ...more }),
  );
}
