import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, Matches } from 'class-validator';
import { definitionNamePattern, definitionNameRule } from '#event';
import { JsonSchemaPart } from '../openapi/schema.js';

const rule = { message: definitionNameRule };

/** The name of a definition to create. */
export function NewDefinitionName(example: string): PropertyDecorator {
  return applyDecorators(Matches(definitionNamePattern, rule), IsString(), JsonSchemaPart({ example }));
}

/** The optional name in the body for an existing definition. It must equal the name in the path of the URL. */
export function OptionalDefinitionName(): PropertyDecorator {
  const description = 'Optional; must equal the name in the path.';
  return applyDecorators(
    IsOptional(),
    Matches(definitionNamePattern, rule),
    JsonSchemaPart({ type: 'string', description }),
  );
}
