import { parseTime } from '#json';
import { UntranslatableExpressionError } from './untranslatable.js';
import type { SqlValueBinder } from './sql-value-binder.js';
import { decimalOfText } from './numbers.js';
import type { SqlExpressionsByKind } from './sql-expressions-by-kind.js';

type LiteralValue = string | number | bigint | boolean | null;

/** The upper limit of an Int128, exclusive. */
const mostInteger = 2n ** 127n;

export function literalValue(value: LiteralValue, at: number, params: SqlValueBinder): SqlExpressionsByKind {
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
export function timestampLiteral(text: string, at: number, params: SqlValueBinder): SqlExpressionsByKind {
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

/** Translates a duration with a literal text, such as `duration("1h30m")`, to a parameter. */
export function durationLiteral(text: string, at: number, params: SqlValueBinder): SqlExpressionsByKind {
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
