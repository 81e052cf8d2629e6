import 'reflect-metadata';
import { IsInt, IsObject, IsOptional, IsString, Matches, Max, Min, ValidateBy } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters } from './characters.js';
import { isJsonObject } from '#json';
import { limits, streamNamePattern, uuidPattern } from '#event';

/**
 * Text without control characters, line or paragraph separators, and lone surrogates. Text without these characters is
 * safe in a log line, in a terminal and in UTF-8.
 */
export const plainTextPattern = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}]*$/u;

export const plainTextRule = 'must not contain control characters or half surrogate pairs';
const plainText = { message: plainTextRule };

/** JSON types that the values in an event's `metadata` may have. */
const scalars = ['string', 'number', 'boolean', 'null'];

/** Validates that a property is a JSON object of at most `maxMembers` strings, numbers, booleans or null. */
export function IsFlatObject(maxMembers: number, description: object = {}): PropertyDecorator {
  // Use one JSONSchema decorator: a second one on a property would replace the first.
  const schema = JSONSchema({
    ...description,
    type: 'object',
    maxProperties: maxMembers,
    additionalProperties: { type: scalars as never },
  });
  const validator = { validate: (value: unknown) => isFlatObject(value, maxMembers) };
  const message = `must be an object of at most ${maxMembers} scalar values`;
  return (target, propertyName) => {
    schema(target, propertyName as string);
    ValidateBy({ name: 'isFlatObject', validator }, { message })(target, propertyName);
  };
}

function isFlatObject(value: unknown, maxMembers: number): boolean {
  if (!isJsonObject(value)) return false;
  const values = Object.values(value);
  return values.length <= maxMembers && values.every((each) => typeof each !== 'object' || each === null);
}

/**
 * An event as a client sends it. This class is the only definition of an event's fields: the validator that checks each
 * written event is compiled from it, and the OpenAPI document is generated from it.
 */
@JSONSchema({
  additionalProperties: false,
  example: {
    stream: 'orders',
    event_type: 'order.placed',
    entity_id: 'order-19',
    data: { amount: 12.5, currency: 'EUR' },
  },
})
export class EventInput {
  @JSONSchema({ description: 'The stream. It is created on first use.', example: 'orders' })
  @IsString()
  @Matches(streamNamePattern)
  stream: string;

  @JSONSchema({ description: 'The type of the event. Clients choose it.', example: 'order.placed' })
  @Characters({ most: limits.eventTypeCharacters })
  @Matches(plainTextPattern, plainText)
  event_type: string;

  @JSONSchema({
    description: 'A JSON object. It is returned exactly as it was sent.',
    example: { amount: 12.5 },
  })
  @IsObject()
  data: object;

  @JSONSchema({
    description:
      'The entity that the event is about. Events of one entity keep their order and have consecutive versions.',
    example: 'order-17',
  })
  @IsOptional()
  @Characters({ most: limits.entityIdCharacters })
  @Matches(plainTextPattern, plainText)
  entity_id?: string | null;

  @JSONSchema({
    description: 'The time of the event (RFC 3339, 1900 to 2199). Default: the time of receipt.',
    format: 'date-time',
    example: '2026-11-21T04:00:00.000123Z',
  })
  @IsOptional()
  @IsString()
  timestamp?: string | null;

  @JSONSchema({
    description:
      'A UUID that identifies the event within its stream. It is remembered for 60 minutes or for the last 200 000 ' +
      'records of its partition, whichever is less, but for 10 minutes at least. If an id is sent again in that time, only the first event is stored. ' +
      'A different event (another entity, other data) with the same id may be dropped as a duplicate, too. ' +
      'After that time the id counts as new: see `id_window_seconds` of the stream. Never use an id again for another event. Default: a UUIDv7.',
    format: 'uuid',
  })
  @IsOptional()
  @IsString()
  @Matches(uuidPattern)
  event_id?: string | null;

  @JSONSchema({
    description:
      'The event is accepted only if its entity has this version; 0 means that the entity has no event yet. Otherwise ' +
      'the answer is a 412 `version_conflict` with the `current_version`, for which the key needs no `events:read`. Needs ' +
      'an `entity_id`. The answer comes when ' +
      'it is decided, and has the `version` of the event.',
    example: 0,
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  expected_version?: number | null;

  @IsOptional()
  @IsFlatObject(limits.metadataMembers, {
    description: 'A flat JSON object with metadata about the event.',
    example: { source: 'web' },
  })
  metadata?: object | null;
}
