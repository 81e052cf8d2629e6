import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, IsBoolean, IsOptional, Matches, ValidateBy } from 'class-validator';
import { Characters, FromText, ProblemError } from '#api';
import { limits, streamNamePattern, uuidPattern, uuidRule } from '#event';
import type { EpochMicros } from '#json';
import { askedFor, ParseValue, ParseValues, PathParameter, Repeatable } from '#http';
import { JsonSchemaPart } from '../openapi/schema.js';
import { parseRequestTime, parseSeconds } from './relative-times.js';

/** Decorator of an optional query parameter, with its description and example for the OpenAPI document. */
export function Parameter(description: string, example?: unknown): PropertyDecorator {
  return applyDecorators(
    IsOptional(),
    JsonSchemaPart({ description, ...(example !== undefined && { example }) }),
  );
}

/** Decorator of a query parameter that may be repeated; a match of one of its values suffices. */
function Alternatives(): PropertyDecorator {
  return applyDecorators(Repeatable(), ArrayMinSize(1), ArrayMaxSize(limits.filterValues));
}

const streamName =
  'must be a stream name: letters, digits, ".", "_" and "-", up to 200, the first a letter or digit';

/** Decorator of a query parameter with a stream name, which may be repeated. */
export function StreamNames(): PropertyDecorator {
  return applyDecorators(Alternatives(), Matches(streamNamePattern, { each: true, message: streamName }));
}

/** Decorator of a query parameter with one stream name. */
export function OneStreamName(): PropertyDecorator {
  return Matches(streamNamePattern, { message: streamName });
}

/** Decorator of a query parameter with a text of 1 to `longest` characters, which may be repeated. */
export function Texts(longest: number): PropertyDecorator {
  return applyDecorators(Alternatives(), Characters({ most: longest }, { each: true }));
}

/** Decorator of a query parameter with a text of 1 to `longest` characters. */
export function Text(longest: number): PropertyDecorator {
  return Characters({ most: longest });
}

const timeRule =
  'must be an RFC 3339 time such as 2026-11-21T04:00:00Z, from 1900 up to 2200, or a time before now such as now, -15m, -1h or -7d';

/**
 * Decorator of an optional query parameter with an RFC 3339 time and offset, or a time relative to the arrival of the
 * request. The property gets microseconds since 1970.
 * @param description purpose of the parameter, a sentence without its full stop
 */
export function Time(description: string, example?: string): PropertyDecorator {
  const form =
    '(RFC 3339; in a URL, write the `+` of an offset as `%2B`: `2026-11-21T05:00:00%2B01:00`; or relative to the arrival of ' +
    'the request: `now`, `-15m`, `-1h`, `-7d`)';
  return applyDecorators(
    ParseValue({ name: 'isTime', read: parseRequestTime, message: timeMessage }),
    JsonSchemaPart({ type: 'string' }),
    Parameter(`${description} ${form}.`, example),
  );
}

/**
 * Returns the error message for an invalid time. The message gives a hint when the text contains a space, because a `+`
 * that was not encoded in the URL arrives as a space.
 */
function timeMessage(sent: unknown): string {
  if (typeof sent !== 'string' || !/\d \d\d:\d\d$/.test(sent)) return timeRule;
  return `${timeRule}; in a URL, + means a space: write %2B before the offset`;
}

/** Decorator of the query parameter `limit`: the maximum number of items in a page. */
export function PageLimit(): PropertyDecorator {
  const [minimum, maximum] = [1, limits.pageMax];
  const validate = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
  const defaultMessage = () => `must be a whole number from ${minimum} to ${maximum}`;
  return applyDecorators(
    FromText('number'),
    ValidateBy({ name: 'isPageLimit', validator: { validate, defaultMessage } }),
    Parameter('Largest number of items in a page.'),
    JsonSchemaPart({ type: 'integer', minimum, maximum, default: limits.pageDefault }),
  );
}

/** Decorator of the query parameter `cursor`: a text from the previous page, which clients do not interpret. */
export function Cursor(): PropertyDecorator {
  return applyDecorators(
    Text(4096),
    Parameter('`next_cursor` of the previous page. The other parameters must be the same.'),
  );
}

/** Decorator of the query parameter `wait_for`. The property gets the parsed `ConsistencyToken[]`. */
export function Positions(): PropertyDecorator {
  const message = () => 'must be <stream>:<partition>:<offset>';
  return applyDecorators(
    Alternatives(),
    ParseValues({ name: 'isPosition', read: parsePosition, message }),
    JsonSchemaPart({ type: 'array', items: { type: 'string', pattern: '^[^:]+:[0-9]+:[0-9]+$' } }),
    Parameter(
      'Waits until this position can be queried, for at most 10 s. The form is ' +
        '`<stream>:<partition>:<offset>`, as the answer of a write gives it. Repeatable.',
      ['orders:4:10234'],
    ),
  );
}

/** Decorator of a query parameter that is `true` or `false`. */
export function Flag(description: string): PropertyDecorator {
  return applyDecorators(
    FromText('boolean'),
    IsBoolean({ message: 'must be true or false' }),
    Parameter(description),
    JsonSchemaPart({ type: 'boolean' }),
  );
}

/** Decorator of the query parameter `confirm`, which repeats the name of the item to delete. */
export function Confirmation(longest: number, description: string, example: string): PropertyDecorator {
  return applyDecorators(Text(longest), Parameter(description, example), JsonSchemaPart(askedFor));
}

/** The longest time bucket of a count, in seconds: 366 days. */
const longestInterval = 366 * 86_400;

/** Parses the length of a bucket such as `30s`, `5m`, `1h`, `1d`. Returns seconds; undefined for any other text. */
export function parseInterval(text: string): number | undefined {
  const seconds = parseSeconds(text) ?? NaN;
  return seconds <= longestInterval ? seconds : undefined;
}

/** Decorator of the query parameter `interval`, the length of a time bucket. The property gets seconds. */
export function Interval(): PropertyDecorator {
  const message = () => 'must be a number and a unit (s, m, h, d), such as 5m, up to 366d';
  return applyDecorators(
    ParseValue({ name: 'isInterval', read: parseInterval, message }),
    JsonSchemaPart({ type: 'string', pattern: '^[1-9][0-9]{0,7}[smhd]$' }),
  );
}

/** Query parameters `limit` and `cursor` of a list. */
export class PageParameters {
  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}

/**
 * Refuses a range whose `until` is not after its `since`: no event could match it, so it is a mistake of the caller.
 * @throws ProblemError 400
 */
export function requireTimeRange({ since, until }: { since?: EpochMicros; until?: EpochMicros }): void {
  if (since === undefined || until === undefined || since < until) return;
  throw new ProblemError('invalid_request', 'since must be before until.', {
    errors: [{ pointer: 'since', detail: 'must be before until' }],
  });
}

/** Stream, partition and offset of an event that a read waits for (`wait_for`). */
export interface ConsistencyToken {
  stream: string;
  partition: number;
  offset: number;
}

/** Parses `<stream>:<partition>:<offset>`, as the answer of a write gives it. Returns undefined for any other text. */
export function parsePosition(text: string): ConsistencyToken | undefined {
  const match = /^([^:]+):(\d{1,5}):(\d{1,16})$/.exec(text);
  if (!match) return undefined;
  const [, stream = '', partition, offset] = match;
  if (!streamNamePattern.test(stream) || !Number.isSafeInteger(Number(offset))) return undefined;
  return { stream, partition: Number(partition), offset: Number(offset) };
}

/** Parameter decorator of a handler: injects a UUID from the path of the URL, in lower case. */
export function UuidInPath(name: string): ParameterDecorator {
  return PathParameter({ name, schema: { type: 'string', format: 'uuid' } }, (text) => {
    if (uuidPattern.test(text)) return text.toLowerCase();
    throw new ProblemError('invalid_request', `The ${name} of the path ${uuidRule}.`, {
      errors: [{ pointer: name, detail: uuidRule }],
    });
  });
}
