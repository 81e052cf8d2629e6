import { parseTime } from '#contracts';
import { EvaluationError } from './errors.js';
import { matchesPattern } from './pattern.js';
import { Duration, isList, isNumber, isObject, kindOf, needString, Timestamp, type Value } from './values.js';

type Call = (args: readonly Value[], at: number) => Value;

/** Functions and methods by name and number of arguments; a method's object is its first argument. */
export const functions: Record<string, Call> = {
  'size/1': ([value], at) => size(value as Value, at),
  'dyn/1': ([value]) => value as Value,
  'int/1': ([value], at) => Math.trunc(toNumber(value as Value, { form: /^[+-]?[0-9]{1,19}$/, at })),
  'double/1': ([value], at) =>
    toNumber(value as Value, { form: /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/, at }),
  'string/1': ([value], at) => toText(value as Value, at),
  'timestamp/1': ([value], at) => toTimestamp(value as Value, at),
  'duration/1': ([value], at) => toDuration(value as Value, at),
};

export const methods: Record<string, Call> = {
  'size/1': ([value], at) => size(value as Value, at),
  'startsWith/2': ([text, other], at) =>
    needString(text as Value, at).startsWith(needString(other as Value, at)),
  'endsWith/2': ([text, other], at) => needString(text as Value, at).endsWith(needString(other as Value, at)),
  'contains/2': ([text, other], at) => needString(text as Value, at).includes(needString(other as Value, at)),
  'matches/2': ([text, pattern], at) =>
    matchesPattern(needString(text as Value, at), needString(pattern as Value, at), at),
  'lowerAscii/1': ([text], at) =>
    needString(text as Value, at).replace(/[A-Z]+/g, (part) => part.toLowerCase()),
  'upperAscii/1': ([text], at) =>
    needString(text as Value, at).replace(/[a-z]+/g, (part) => part.toUpperCase()),
  'getFullYear/1': (args, at) => date(args, at).getUTCFullYear(),
  'getMonth/1': (args, at) => date(args, at).getUTCMonth(),
  'getDate/1': (args, at) => date(args, at).getUTCDate(),
  'getDayOfMonth/1': (args, at) => date(args, at).getUTCDate() - 1,
  'getDayOfWeek/1': (args, at) => date(args, at).getUTCDay(),
  'getDayOfYear/1': (args, at) => dayOfYear(date(args, at)),
  'getHours/1': (args, at) => date(args, at).getUTCHours(),
  'getMinutes/1': (args, at) => date(args, at).getUTCMinutes(),
  'getSeconds/1': (args, at) => date(args, at).getUTCSeconds(),
  'getMilliseconds/1': (args, at) => date(args, at).getUTCMilliseconds(),
};

function size(value: Value, at: number): number {
  if (typeof value === 'string') return [...value].length;
  if (isList(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw new EvaluationError(`A ${kindOf(value)} has no size.`, at);
}

function toNumber(value: Value, { form, at }: { form: RegExp; at: number }): number {
  if (isNumber(value)) return Number(value);
  if (typeof value === 'string' && form.test(value)) return Number(value);
  throw new EvaluationError(`This ${kindOf(value)} is not a number.`, at);
}

function toText(value: Value, at: number): string {
  if (typeof value === 'string') return value;
  if (isNumber(value) || typeof value === 'boolean') return String(value);
  throw new EvaluationError(`A ${kindOf(value)} does not become a string.`, at);
}

function toTimestamp(value: Value, at: number): Timestamp {
  const micros = parseTime(needString(value, at));
  if (micros === undefined)
    throw new EvaluationError('A time is RFC 3339, such as 2026-11-21T04:00:00Z.', at);
  return new Timestamp(micros);
}

const units: Record<string, number> = { h: 3_600_000_000, m: 60_000_000, s: 1_000_000, ms: 1000, us: 1 };

function toDuration(value: Value, at: number): Duration {
  const whole = /^([+-]?)((?:\d+(?:\.\d+)?(?:h|ms|m|s|us))+)$/.exec(needString(value, at));
  if (!whole) throw new EvaluationError('A duration is written like 1h30m, 500ms or -1.5s.', at);
  let micros = 0;
  for (const [, amount, unit] of (whole[2] as string).matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us)/g)) {
    micros += Number(amount) * (units[unit as string] as number);
  }
  return new Duration(Math.round(whole[1] === '-' ? -micros : micros));
}

function date([value]: readonly Value[], at: number): Date {
  if (value instanceof Timestamp) return new Date(Math.floor(value.micros / 1000));
  throw new EvaluationError(`A timestamp is needed, this is a ${kindOf(value as Value)}.`, at);
}

function dayOfYear(day: Date): number {
  return Math.floor((day.getTime() - Date.UTC(day.getUTCFullYear(), 0, 1)) / 86_400_000);
}
