import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, Matches } from 'class-validator';
import { definitionNamePattern, definitionNameRule } from '#event';
import { JsonSchemaPart } from '../openapi/schema.js';

const rule = { message: definitionNameRule };

/** Decorator of the member `name` in the body that creates a projection or pipeline. */
export function NewDefinitionName(example: string): PropertyDecorator {
  return applyDecorators(Matches(definitionNamePattern, rule), IsString(), JsonSchemaPart({ example }));
}

/**
 * Decorator of the optional member `name` in the body that replaces a projection or pipeline. The name must equal the
 * one in the path of the URL.
 */
export function OptionalDefinitionName(): PropertyDecorator {
  const description = 'Optional; must equal the name in the path.';
  return applyDecorators(
    IsOptional(),
    Matches(definitionNamePattern, rule),
    JsonSchemaPart({ type: 'string', description }),
  );
}
