import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, Matches } from 'class-validator';
import { definitionNamePattern, definitionNameRule } from '#event';
import { Schema } from '../openapi/schema.js';

const rule = { message: definitionNameRule };

/** The name of a definition that is to be made. */
export function NewName(example: string): PropertyDecorator {
  return applyDecorators(Matches(definitionNamePattern, rule), IsString(), Schema({ example }));
}

/** The name of a definition that is there, which its address says already. */
export function SameName(): PropertyDecorator {
  const description = 'The name in the address, if it is given.';
  return applyDecorators(
    IsOptional(),
    Matches(definitionNamePattern, rule),
    Schema({ type: 'string', description }),
  );
}
