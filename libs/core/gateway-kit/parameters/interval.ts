import { applyDecorators } from '@nestjs/common';
import { ParseValue } from '#http';
import { JsonSchemaPart } from '../openapi/schema.js';

/** The longest time bucket of a count, in seconds: 366 days. */
export const longestInterval = 366 * 86_400;

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * Parses the length of a bucket such as `30s`, `5m`, `1h`, `1d`. Returns it in seconds, or undefined for any other
 * text.
 */
export function parseInterval(text: string): number | undefined {
  const match = /^([1-9]\d{0,7})([smhd])$/.exec(text);
  if (!match) return undefined;
  const [, count, unit = ''] = match;
  const seconds = Number(count) * (secondsOf[unit] ?? NaN);
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
