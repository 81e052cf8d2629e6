import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters, durationMs, plainTextPattern } from '#api';
import { limits } from '#event';
import { parseTime, type EpochMicros } from '#json';
import { ParseValue, scopes, type KeyScope } from '#http';
import { JsonSchemaPart } from '#gateway-kit';

/** Longest time that an old secret remains valid beside a new one, in milliseconds. */
const longestOverlapMs = durationMs('30d');
const nameCharacters = 100;
const mostStreams = 100;
const mostPerSecond = 10_000_000;
const streamPattern = new RegExp(`^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,${limits.streamCharacters - 1}}\\*?|\\*)$`);

/** Decorator of an optional limit per second. */
function PerSecond(what: string): PropertyDecorator {
  return applyDecorators(
    IsOptional(),
    IsInt(),
    Min(1),
    Max(mostPerSecond),
    JsonSchemaPart({ description: what }),
  );
}

/** Rate limits of an API key. Each gateway process counts the requests and events of a key separately. */
@JSONSchema({ additionalProperties: false, minProperties: 1 })
class RateLimitInput {
  @PerSecond(
    'Events that may be written in a second. A larger batch is accepted while no earlier batch is owed, and its excess delays later events.',
  )
  events_per_second?: number | null;

  @PerSecond('Requests of any kind in a second.')
  requests_per_second?: number | null;
}

/** Body of `POST /api/v1/keys`: the API key to issue. */
@JSONSchema({
  additionalProperties: false,
  example: { name: 'web shop', scopes: ['events:write', 'events:read'], streams: ['orders'] },
})
export class KeyInput {
  @Characters({ most: nameCharacters })
  @Matches(plainTextPattern, { message: 'must not contain control characters or half surrogate pairs' })
  @JsonSchemaPart({ description: 'Purpose of the key. Names need not be unique.', example: 'web shop' })
  name: string;

  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(scopes, { each: true, message: `must be some of ${scopes.join(', ')}` })
  @JsonSchemaPart({
    description: 'What the key may do. No scope includes another: list all that the key needs.',
  })
  scopes: KeyScope[];

  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(mostStreams)
  @ArrayUnique()
  @Matches(streamPattern, {
    each: true,
    message: 'must be names of streams, or prefixes of them followed by *',
  })
  @JsonSchemaPart({
    description:
      'Streams that the key may read and write: names, or prefixes followed by `*`. Default: no limit.',
    example: ['orders', 'web.*'],
  })
  streams?: string[] | null;

  @IsOptional()
  @ParseValue({
    name: 'isFuture',
    read: parseFutureTime,
    message: () => 'must be an RFC 3339 time in the future, such as 2099-01-01T00:00:00Z',
  })
  @JsonSchemaPart({
    description: 'Time from which the key is refused. Default: never.',
    type: 'string',
    format: 'date-time',
  })
  expires_at?: EpochMicros | null;

  @IsOptional()
  @IsObject()
  @HasMember()
  @ValidateNested()
  @Type(() => RateLimitInput)
  rate_limit?: RateLimitInput | null;
}

/**
 * Parses how long an old secret remains valid: `24h`, `7d`, `PT12H`, or `0s` for not at all. Returns milliseconds, or
 * undefined for any other text and for more than 30 days.
 */
export function parseOverlap(text: string): number | undefined {
  if (/^(0[smhd]|PT0S)$/.test(text)) return 0;
  try {
    const ms = durationMs(text);
    return ms > longestOverlapMs ? undefined : ms;
  } catch {
    return undefined;
  }
}

/** Body of `POST /api/v1/keys/{key_id}/rotate`: how long the old secret remains valid. */
@JSONSchema({
  additionalProperties: false,
  example: { overlap: '1d' },
})
export class RotationInput {
  @IsOptional()
  @ParseValue({
    name: 'isOverlap',
    read: parseOverlap,
    message: () => 'must be a duration such as 24h, 7d or PT12H, at most 30d; 0s means no overlap',
  })
  @JsonSchemaPart({
    description: 'How long the current secrets remain valid, at most `30d`. Default: `0s`, not at all.',
    type: 'string',
    example: '24h',
  })
  overlap?: number | null;
}

function parseFutureTime(text: string): EpochMicros | undefined {
  const time = parseTime(text);
  return time !== undefined && time > Date.now() * 1000 ? time : undefined;
}

/** Decorator that refuses an object in which every member is null or missing. */
function HasMember(): PropertyDecorator {
  const message = 'must have events_per_second or requests_per_second; leave it out for no limit';
  const validate = (value: unknown) =>
    typeof value === 'object' && value !== null && Object.values(value).some((member) => member != null);
  return ValidateBy({ name: 'hasMember', validator: { validate, defaultMessage: () => message } });
}
