import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { durationMs } from '#api';
import { Schema } from '../openapi/schema.js';

/** An old secret does not work longer than that beside a new one. */
const mostMs = durationMs('30d');

/**
 * Milliseconds that an old secret works on: `24h`, `7d`, `PT12H`, or `0s` for not at all.
 * @throws RangeError for anything else, and for more than 30 days
 */
export function overlapMs(text: string): number {
  const ms = /^(0[smhd]|PT0S)$/.test(text) ? 0 : durationMs(text);
  if (ms > mostMs) throw new RangeError('longer than 30 days');
  return ms;
}

/** A time to go on working, as `overlapMs` reads it. The property stays text. */
export function IsOverlap(): PropertyDecorator {
  const message = 'must be a duration such as 24h, 7d or PT12H, at most 30d; 0s is none';
  return applyDecorators(
    ValidateBy({ name: 'isOverlap', validator: { validate: isOverlap, defaultMessage: () => message } }),
    Schema({ type: 'string', example: '24h' }),
  );
}

function isOverlap(value: unknown): boolean {
  try {
    return typeof value === 'string' && overlapMs(value) >= 0;
  } catch {
    return false;
  }
}
