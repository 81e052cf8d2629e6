import { IsDefined, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters, compatibilities, type Compatibility, plainTextPattern } from '#api';
import { limits, streamNamePattern } from '#event';
import { schemaModes, type SchemaMode } from '#registry';
import { AsSent } from '#http';
import { Schema } from '../openapi/schema.js';

const oneOf = (values: readonly string[]) => ({ message: `must be one of ${values.join(', ')}` });

/** A schema to check or to register. */
@JSONSchema({ additionalProperties: false })
export class SchemaCheckInput {
  @AsSent()
  @IsDefined()
  @Schema({
    description: 'A JSON Schema (draft 2020-12): an object, `true` or `false`.',
    example: { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } },
  })
  schema: unknown;

  @IsOptional()
  @IsIn(compatibilities, oneOf(compatibilities))
  @Schema({
    type: 'string',
    description:
      'How the schema must be compatible with earlier versions. Default: the current setting, initially `backward`.',
  })
  compatibility?: Compatibility | null;
}

/** A schema for the `data` of all events of one type in one stream. */
@JSONSchema({ additionalProperties: false })
export class SchemaInput extends SchemaCheckInput {
  @IsString()
  @Matches(streamNamePattern, { message: `must match ${streamNamePattern.source}` })
  @Schema({ description: 'The stream of the events. It need not exist yet.', example: 'orders' })
  stream: string;

  @Characters({ most: limits.eventTypeCharacters })
  @Matches(plainTextPattern, { message: 'must not contain control characters or half surrogate pairs' })
  @Schema({ example: 'order.placed' })
  event_type: string;

  @IsOptional()
  @IsIn(schemaModes, oneOf(schemaModes))
  @Schema({
    type: 'string',
    description:
      'What happens to an event that violates the schema: `enforce` refuses it with a 422, `warn` stores ' +
      'and counts it, `off` does not check. Default: the current setting, initially `enforce`.',
  })
  mode?: SchemaMode | null;
}
