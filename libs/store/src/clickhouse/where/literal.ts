import { parseTime } from '#contracts';
import { UntranslatableExpressionError } from '../../errors.js';
import type { Params } from '../params.js';
import type { Value } from './value.js';

type Literal = string | number | bigint | boolean | null;

const [smallest, largest] = [-(2n ** 127n), 2n ** 127n - 1n];

export function literalValue(value: Literal, at: number, params: Params): Value {
  if (value === null) return { at, isNull: '1', exists: '1' };
  if (typeof value === 'string') return { at, string: params.bind('String', value), exists: '1' };
  if (typeof value === 'boolean') return { at, bool: value ? 'true' : 'false', exists: '1' };
  const number = params.bind('Float64', Number(value));
  if (typeof value === 'bigint') {
    if (value < smallest || value > largest) {
      throw new UntranslatableExpressionError('The number is too large.', at);
    }
    return { at, number, integer: params.bind('Int128', value.toString()), exists: '1' };
  }
  if (!Number.isSafeInteger(value)) return { at, number, exists: '1' };
  return { at, number, integer: params.bind('Int128', value.toString()), exists: '1' };
}

/** `timestamp("2026-11-21T04:00:00Z")` */
export function timestampLiteral(text: string, at: number, params: Params): Value {
  const micros = parseTime(text);
  if (micros === undefined) {
    throw new UntranslatableExpressionError(
      'A time is RFC 3339, between the years 1900 and 2200, such as 2026-11-21T04:00:00Z.',
      at,
    );
  }
  return { at, timestamp: params.bind('Int64', micros), exists: '1' };
}

const units: Record<string, number> = { h: 3_600_000_000, m: 60_000_000, s: 1_000_000, ms: 1000, us: 1 };

/** `duration("1h30m")`, `duration("-1.5s")` */
export function durationLiteral(text: string, at: number, params: Params): Value {
  const whole = /^([+-]?)((?:\d+(?:\.\d+)?(?:h|ms|m|s|us))+)$/.exec(text);
  let micros = 0;
  for (const [, amount, unit] of (whole?.[2] ?? '').matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us)/g)) {
    micros += Number(amount) * (units[unit as string] as number);
  }
  if (!whole || !Number.isSafeInteger(Math.round(micros))) {
    throw new UntranslatableExpressionError('A duration is written like 1h30m, 500ms or -1.5s.', at);
  }
  const signed = Math.round(whole[1] === '-' ? -micros : micros);
  return { at, duration: params.bind('Int64', signed), exists: '1' };
}
