import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, IsBoolean, IsOptional, Matches, ValidateBy } from 'class-validator';
import { Characters, FromText } from '#api';
import { limits, parseTime, streamNamePattern } from '#event';
import { askedFor, ReadValue, ReadValues, Repeatable } from '#http';
import { Schema } from '../openapi/schema.js';
import { parsePosition } from '../consistency/position.js';

/** A parameter that may be left out, with what the OpenAPI document says about it. */
export function Parameter(description: string, example?: unknown): PropertyDecorator {
  return applyDecorators(IsOptional(), Schema({ description, ...(example !== undefined && { example }) }));
}

/** May be given several times; the values are alternatives. */
function Alternatives(): PropertyDecorator {
  return applyDecorators(Repeatable(), ArrayMinSize(1), ArrayMaxSize(limits.filterValues));
}

const streamName =
  'must be a stream name: letters, digits, ".", "_" and "-", up to 200, the first a letter or digit';

/** Stream names. */
export function Streams(): PropertyDecorator {
  return applyDecorators(Alternatives(), Matches(streamNamePattern, { each: true, message: streamName }));
}

/** One stream name. */
export function OneStream(): PropertyDecorator {
  return Matches(streamNamePattern, { message: streamName });
}

/** Texts of 1 to `longest` characters each. */
export function Texts(longest: number): PropertyDecorator {
  return applyDecorators(Alternatives(), Characters({ most: longest }, { each: true }));
}

/** One text of 1 to `longest` characters. */
export function Text(longest: number): PropertyDecorator {
  return Characters({ most: longest });
}

const timeRule = 'must be an RFC 3339 time such as 2026-11-21T04:00:00Z, from 1900 up to 2200';

/**
 * A time by RFC 3339 with its offset, which may be left out. The property is `Micros`.
 * @param description what it is for, a sentence without its full stop
 */
export function Time(description: string, example?: string): PropertyDecorator {
  const form =
    '(RFC 3339; the `+` of an offset is written `%2B` in an address: `2026-11-21T05:00:00%2B01:00`)';
  return applyDecorators(
    ReadValue({ name: 'isTime', read: parseTime, message: timeMessage }),
    Schema({ type: 'string', format: 'date-time' }),
    Parameter(`${description} ${form}.`, example),
  );
}

/** A `+` that was not encoded has arrived as a blank. */
function timeMessage(sent: unknown): string {
  if (typeof sent !== 'string' || !/\d \d\d:\d\d$/.test(sent)) return timeRule;
  return `${timeRule}; in an address + stands for a blank: write %2B before the offset`;
}

/** How many items a page has at most. */
export function PageLimit(): PropertyDecorator {
  const [minimum, maximum] = [1, limits.pageMax];
  const validate = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
  const defaultMessage = () => `must be a whole number from ${minimum} to ${maximum}`;
  return applyDecorators(
    FromText('number'),
    ValidateBy({ name: 'isPageLimit', validator: { validate, defaultMessage } }),
    Parameter('Items of a page at most.'),
    Schema({ type: 'integer', minimum, maximum, default: limits.pageDefault }),
  );
}

/** Where a page goes on. What is in it is the store's own business. */
export function Cursor(): PropertyDecorator {
  return applyDecorators(
    Text(4096),
    Parameter('`next_cursor` of the page before, with the same other parameters.'),
  );
}

/** Positions to wait for. The property is `StreamPosition[]`. */
export function Positions(): PropertyDecorator {
  const message = () => 'must be <stream>:<partition>:<offset>';
  return applyDecorators(
    Alternatives(),
    ReadValues({ name: 'isPosition', read: parsePosition, message }),
    Schema({ type: 'array', items: { type: 'string', pattern: '^[^:]+:[0-9]+:[0-9]+$' } }),
    Parameter(
      'Waits until this position can be queried, for at most 10 s: `<stream>:<partition>:<offset>`, as a write ' +
        'has answered them. Repeatable.',
      ['orders:4:10234'],
    ),
  );
}

/** `true` or `false`. */
export function Flag(description: string): PropertyDecorator {
  return applyDecorators(
    FromText('boolean'),
    IsBoolean({ message: 'must be true or false' }),
    Parameter(description),
    Schema({ type: 'boolean' }),
  );
}

/** The name of what is to be deleted, once more. */
export function Confirmation(longest: number, description: string, example: string): PropertyDecorator {
  return applyDecorators(Text(longest), Parameter(description, example), Schema(askedFor));
}
