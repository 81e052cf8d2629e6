import { IsArray, IsBoolean, IsInt, IsString, ValidateIf } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsRetention, type InputProblem, type StreamRetention } from '#api';
import { codesOfEvents } from './write-texts.js';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const json = (type: new () => object) => ({ 'application/json': { schema: ref(type.name) } });

const isPresent = (_: unknown, value: unknown) => value !== undefined;

const versionOfConditional = {
  type: ['integer', 'null'] as never,
  description:
    'The version of the event, if it was sent with an `expected_version`. Null if the event was erased meanwhile.',
};

const repeatedConditional = {
  const: true,
  description:
    'Present if the event has an `expected_version` and was accepted before: the request is a repeat. A repeat of an event ' +
    'without `expected_version` is recognized only when events are stored, so its answer does not say so.',
};

const warningsOfAnswer = {
  type: 'array' as never,
  items: { type: 'string' as never },
  description:
    'What the client should know of a written request. Missing if there is nothing: `The stream ordrs did not exist and was ' +
    'created. Did you mean orders?`',
};

const whereKept =
  'With `Prefer: handling=lenient`: its position in the log, for `wait_for` and its dead letter. Also the position of ' +
  'an event with an `expected_version` that is refused or undecided.';

/** Answer to a single written event, for the OpenAPI document only: the route builds the JSON text itself. */
class WrittenEvent {
  @JSONSchema({ format: 'uuid' }) @IsString() event_id: string;
  @IsString() stream: string;
  @IsString() event_type: string;
  @ValidateIf((_, value) => value !== null) @IsString() entity_id: string | null;
  @JSONSchema({ format: 'date-time' }) @IsString() timestamp: string;
  @IsInt() partition: number;
  @IsInt() offset: number;
  @JSONSchema(versionOfConditional) @ValidateIf(isPresent) @IsInt() version?: number | null;
  @JSONSchema(repeatedConditional) @ValidateIf(isPresent) @IsBoolean() repeated?: true;
  @JSONSchema(warningsOfAnswer) @ValidateIf(isPresent) @IsArray() warnings?: string[];
}

/** Result of a written event in the answer to a batch, for the OpenAPI document only. */
class WrittenPosition {
  @JSONSchema({ format: 'uuid' }) @IsString() event_id: string;
  @IsInt() partition: number;
  @IsInt() offset: number;
  @JSONSchema(versionOfConditional) @ValidateIf(isPresent) @IsInt() version?: number | null;
  @JSONSchema(repeatedConditional) @ValidateIf(isPresent) @IsBoolean() repeated?: true;
}

@JSONSchema({ description: 'Why one event of a batch was not written.' })
class RejectedEvent {
  @JSONSchema({
    type: 'object',
    required: ['code', 'status', 'detail'],
    properties: {
      code: { type: 'string', description: codesOfEvents, example: 'invalid_request' },
      status: { type: 'integer', example: 400 },
      detail: { type: 'string' },
      current_version: { type: 'integer', description: 'The version of the entity, for `version_conflict`.' },
      errors: {
        type: 'array',
        maxItems: 20,
        description: 'The first errors; only one if the batch has more than 1 000 errors.',
        items: {
          type: 'object',
          required: ['pointer', 'detail'],
          properties: { pointer: { type: 'string' }, detail: { type: 'string' } },
        },
      },
    },
  })
  @ValidateIf(() => true)
  error: { code: string; status: number; detail: string; current_version?: number; errors?: InputProblem[] };
  @JSONSchema({ description: `${whereKept} Missing if the event is not kept.` })
  @ValidateIf(isPresent)
  @IsInt()
  partition?: number;
  @JSONSchema({ description: whereKept }) @ValidateIf(isPresent) @IsInt() offset?: number;
}

/** Answer to a batch of events, for the OpenAPI document only. */
class BatchWritten {
  @IsInt() accepted: number;
  @IsInt() rejected: number;
  @JSONSchema({
    description: 'One result for each event, in the order of the request.',
    items: { oneOf: [ref('WrittenPosition'), ref('RejectedEvent')] },
  })
  @IsArray()
  events: (WrittenPosition | RejectedEvent)[];
  @JSONSchema(warningsOfAnswer) @ValidateIf(isPresent) @IsArray() warnings?: string[];
}

/** Answer to the creation of a stream, for the OpenAPI document. */
class CreatedStream {
  @IsString() stream: string;
  @IsInt() partitions: number;
  @IsRetention('The effective retention, which is the default if none was sent.') retention: StreamRetention;
  @IsInt() snapshot_every: number;
  @JSONSchema({ format: 'date-time' }) @IsString() created_at: string;
}

export const createdStreamContent = json(CreatedStream);
export const writtenContent = json(WrittenEvent);
export const batchContent = json(BatchWritten);

/** The request body of a batch of events in the OpenAPI document, as JSON and as newline-delimited JSON. */
export const batchBody = {
  required: true,
  content: {
    'application/json': { schema: ref('BatchInput') },
    'application/x-ndjson': {
      schema: {
        type: 'string',
        description: 'One event on each line, in the same format as in JSON; up to 10 000 lines.',
        example: '{"stream":"orders","event_type":"order.placed","data":{"amount":12.5}}\n',
      },
    },
  },
};
