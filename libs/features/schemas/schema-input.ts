import { IsDefined, IsInt, IsIn, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters, FromText, plainTextPattern, ProblemError } from '#api';
import { compatibilities, InvalidSchemaError, type SchemaCompatibility } from '#json-schema';
import { limits, streamNamePattern } from '#event';
import { schemaModes, type SchemaEnforcementMode } from '#registry';
import { Verbatim } from '#http';
import { compileDataSchema } from './enforcement/index.js';
import { JsonSchemaPart, Parameter, StreamNames, Texts, PageParameters } from '#gateway-kit';
import './schema-problems.js';

/** The schema in the examples of the OpenAPI document. */
const exampleSchema = { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } };

const oneOf = (values: readonly string[]) => ({ message: `must be one of ${values.join(', ')}` });

/** Query parameters of `GET /api/v1/schemas`. */
export class SchemaListParameters extends PageParameters {
  @StreamNames()
  @Parameter('Only schemas of this stream. Repeatable.', ['orders'])
  stream?: string[];

  @Texts(limits.eventTypeCharacters)
  @Parameter('Only schemas of this event type. Repeatable.', ['order.placed'])
  event_type?: string[];
}

/** Query parameters of the check of data against a schema. */
export class DataValidationParameters {
  @FromText('number')
  @IsInt({ message: 'must be a whole number from 1' })
  @Min(1, { message: 'must be a whole number from 1' })
  @Max(999_999_999)
  @Parameter('Version of the schema. Default: the latest.', 2)
  version?: number;
}

/** Body of a compatibility check: a JSON Schema. */
@JSONSchema({
  additionalProperties: false,
  example: { schema: exampleSchema },
})
export class SchemaCheckInput {
  @Verbatim()
  @IsDefined()
  @JsonSchemaPart({
    description: 'A JSON Schema (draft 2020-12): an object, `true` or `false`.',
    example: exampleSchema,
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
@JSONSchema({
  additionalProperties: false,
  example: { stream: 'orders', event_type: 'order.placed', schema: exampleSchema },
})
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

/**
 * Requires that the schema of a body can be compiled.
 * @throws ProblemError 400 `invalid_schema` that names the position of each error
 */
export function requireValidSchema({ schema }: SchemaCheckInput): void {
  try {
    compileDataSchema(schema);
  } catch (error) {
    if (!(error instanceof InvalidSchemaError)) throw error;
    const errors = error.errors.map(({ pointer, detail }) => ({ pointer: `/schema${pointer}`, detail }));
    throw new ProblemError('invalid_schema', error.message, { errors });
  }
}
