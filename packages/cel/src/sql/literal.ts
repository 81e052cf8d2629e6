import { parseTime } from '#json';
import { UntranslatableExpressionError } from '../errors.js';
import { durationMicros, notADuration } from '../time-functions.js';
import type { SqlValueBinder } from './sql-table.js';
import { decimalOfText } from './numbers.js';
import type { SqlValue } from './sql-value.js';

type LiteralValue = string | number | bigint | boolean | null;

/** The upper limit of an Int128, exclusive. */
const mostInteger = 2n ** 127n;

export function literalValue(value: LiteralValue, at: number, params: SqlValueBinder): SqlValue {
  if (value === null) return { at, isNull: '1', exists: '1' };
  if (typeof value === 'string') return { at, string: params.bind('String', value), exists: '1' };
  if (typeof value === 'boolean') return { at, bool: value ? 'true' : 'false', exists: '1' };
  const number = params.bind('Float64', Number(value));
  const decimal = decimalOfText(params.bind('String', String(value)));
  const whole = typeof value === 'bigint' ? value : Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (whole === undefined || whole >= mostInteger || whole <= -mostInteger)
    return { at, number, decimal, exists: '1' };
  return { at, number, decimal, integer: params.bind('Int128', whole.toString()), exists: '1' };
}

/** Translates a timestamp with a literal text, such as `timestamp("2026-11-21T04:00:00Z")`, to a parameter. */
export function timestampLiteral(text: string, at: number, params: SqlValueBinder): SqlValue {
  const micros = parseTime(text);
  if (micros === undefined) {
    throw new UntranslatableExpressionError(
      'A time is RFC 3339, between the years 1900 and 2200, such as 2026-11-21T04:00:00Z.',
      at,
    );
  }
  return { at, timestamp: params.bind('Int64', micros), exists: '1' };
}

/** Translates a duration with a literal text, such as `duration("1h30m")`, to a parameter. */
export function durationLiteral(text: string, at: number, params: SqlValueBinder): SqlValue {
  const micros = durationMicros(text);
  if (micros === undefined || !Number.isSafeInteger(micros))
    throw new UntranslatableExpressionError(notADuration, at);
  return { at, duration: params.bind('Int64', micros), exists: '1' };
}
