import { applyDecorators } from '@nestjs/common';
import { durationMs } from '#api';
import { ParseValue } from '#http';
import { JsonSchemaPart } from '#gateway-kit';

/** Longest time that an old secret remains valid beside a new one, in milliseconds. */
const mostMs = durationMs('30d');

/**
 * Parses how long an old secret remains valid: `24h`, `7d`, `PT12H`, or `0s` for not at all. Returns milliseconds, or
 * undefined for any other text and for more than 30 days.
 */
export function parseOverlap(text: string): number | undefined {
  if (/^(0[smhd]|PT0S)$/.test(text)) return 0;
  try {
    const ms = durationMs(text);
    return ms > mostMs ? undefined : ms;
  } catch {
    return undefined;
  }
}

/**
 * Decorator of the duration for which the old secret of a rotated key remains valid. The property gets milliseconds.
 */
export function RotationOverlap(): PropertyDecorator {
  const message = () => 'must be a duration such as 24h, 7d or PT12H, at most 30d; 0s means no overlap';
  return applyDecorators(
    ParseValue({ name: 'isOverlap', read: parseOverlap, message }),
    JsonSchemaPart({ type: 'string', example: '24h' }),
  );
}
