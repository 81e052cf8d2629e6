import 'reflect-metadata';
import { IsObject, IsOptional, IsString, Matches, registerDecorator } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters } from './characters.js';
import { isJsonObject } from '#event';
import { limits } from '#event';
import { streamNamePattern, uuidPattern } from '#event';

/**
 * No control characters, no line or paragraph separators, no lone surrogates: safe in a log line, a terminal and
 * UTF-8. Everything else of Unicode is allowed.
 */
export const plainTextPattern = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}]*$/u;

export const plainTextRule = 'must not contain control characters or half surrogate pairs';
const plainText = { message: plainTextRule };

/** Values that `metadata` may hold. */
const scalars = ['string', 'number', 'boolean', 'null'];

/** A JSON object whose values are strings, numbers, booleans or null. */
export function IsFlatObject(maxMembers: number, description: object = {}): PropertyDecorator {
  // One call: a second JSONSchema on a property would replace the first.
  const schema = JSONSchema({
    ...description,
    type: 'object',
    maxProperties: maxMembers,
    additionalProperties: { type: scalars as never },
  });
  return (target, propertyName) => {
    schema(target, propertyName as string);
    registerDecorator({
      name: 'isFlatObject',
      target: target.constructor,
      propertyName: propertyName as string,
      options: { message: `must be an object of at most ${maxMembers} scalar values` },
      validator: { validate: (value) => isFlatObject(value, maxMembers) },
    });
  };
}

function isFlatObject(value: unknown, maxMembers: number): boolean {
  if (!isJsonObject(value)) return false;
  const values = Object.values(value);
  return values.length <= maxMembers && values.every((each) => typeof each !== 'object' || each === null);
}

/**
 * An event as a client sends it. This class is the one definition: the hot write path runs a validator that is
 * compiled from it, and OpenAPI shows it.
 */
@JSONSchema({ additionalProperties: false })
export class EventInput {
  @JSONSchema({ description: 'The stream. It is created on first use.', example: 'orders' })
  @IsString()
  @Matches(streamNamePattern)
  stream: string;

  @JSONSchema({ description: 'What happened, in the words of the client.', example: 'order.placed' })
  @Characters({ most: limits.eventTypeCharacters })
  @Matches(plainTextPattern, plainText)
  event_type: string;

  @JSONSchema({
    description: 'A JSON object; it comes back exactly as it was sent.',
    example: { amount: 12.5 },
  })
  @IsObject()
  data: object;

  @JSONSchema({
    description: 'What it happened to. Events of one entity keep their order and are counted by version.',
    example: 'order-17',
  })
  @IsOptional()
  @Characters({ most: limits.entityIdCharacters })
  @Matches(plainTextPattern, plainText)
  entity_id?: string | null;

  @JSONSchema({
    description: 'When it happened (RFC 3339, 1900 to 2199). Default: when it was received.',
    format: 'date-time',
    example: '2026-11-21T04:00:00.000123Z',
  })
  @IsOptional()
  @IsString()
  timestamp?: string | null;

  @JSONSchema({
    description:
      'A UUID. It names one event within its stream for as long as it is remembered: within the last 200 000 records ' +
      'of its partition and within 60 minutes. The same id sent again in that time is stored once, the first one wins; ' +
      'also where it is sent for something else (another entity, other data), which may be dropped as a repetition. ' +
      'What comes later is a new event: `id_window_seconds` of the stream says how soon that is. Never use an id again for another event. Default: a UUIDv7.',
    format: 'uuid',
  })
  @IsOptional()
  @IsString()
  @Matches(uuidPattern)
  event_id?: string | null;

  @IsOptional()
  @IsFlatObject(limits.metadataMembers, {
    description: 'A flat JSON object about the event itself.',
    example: { source: 'web' },
  })
  metadata?: object | null;
}
