import { IsDefined, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters, plainTextPattern } from '#api';
import { compatibilities, type SchemaCompatibility } from '#json-schema';
import { limits, streamNamePattern } from '#event';
import { schemaModes, type SchemaEnforcementMode } from '#registry';
import { Verbatim } from '#http';
import { JsonSchemaPart } from '#gateway-kit';

const oneOf = (values: readonly string[]) => ({ message: `must be one of ${values.join(', ')}` });

/** Body of a compatibility check: a JSON Schema. */
@JSONSchema({ additionalProperties: false })
export class SchemaCheckInput {
  @Verbatim()
  @IsDefined()
  @JsonSchemaPart({
    description: 'A JSON Schema (draft 2020-12): an object, `true` or `false`.',
    example: { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } },
  })
  schema: unknown;

  @IsOptional()
  @IsIn(compatibilities, oneOf(compatibilities))
  @JsonSchemaPart({
    type: 'string',
    description:
      'How the schema must be compatible with earlier versions. Default: the current setting, initially `backward`.',
  })
  compatibility?: SchemaCompatibility | null;
}

/**
 * Body of `POST /api/v1/schemas`: the JSON Schema to register for the `data` of all events of one type in one stream.
 */
@JSONSchema({ additionalProperties: false })
export class SchemaInput extends SchemaCheckInput {
  @IsString()
  @Matches(streamNamePattern, { message: `must match ${streamNamePattern.source}` })
  @JsonSchemaPart({ description: 'The stream of the events. It need not exist yet.', example: 'orders' })
  stream: string;

  @Characters({ most: limits.eventTypeCharacters })
  @Matches(plainTextPattern, { message: 'must not contain control characters or half surrogate pairs' })
  @JsonSchemaPart({ example: 'order.placed' })
  event_type: string;

  @IsOptional()
  @IsIn(schemaModes, oneOf(schemaModes))
  @JsonSchemaPart({
    type: 'string',
    description:
      'What happens to an event that violates the schema: `enforce` refuses it with a 422, `warn` stores ' +
      'and counts it, `off` does not check. Default: the current setting, initially `enforce`.',
  })
  mode?: SchemaEnforcementMode | null;
}
