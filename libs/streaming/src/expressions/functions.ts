import { spend, spendOnText } from './budget.js';
import type { Call } from './call.js';
import { EvaluationError } from './errors.js';
import { matchesPattern } from './pattern.js';
import { charactersOf, textMethods } from './text-functions.js';
import { durationText, timeFunctions, timeMethods, timeText } from './time-functions.js';
import { Duration, isList, isNumber, isObject, kindOf, needString, Timestamp, type Value } from './values.js';

/** Functions and methods by name and number of arguments; a method's object is its first argument. */
export const functions: Record<string, Call> = {
  'size/1': ([value], at) => size(value as Value, at),
  'dyn/1': ([value]) => value as Value,
  'int/1': ([value], at) => toInt(value as Value, at),
  'double/1': ([value], at) =>
    toNumber(value as Value, { form: /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/, at }),
  'string/1': ([value], at) => toText(value as Value, at),
  ...timeFunctions,
};

export const methods: Record<string, Call> = {
  'size/1': ([value], at) => size(value as Value, at),
  'startsWith/2': ([text, other], at) => needText(text, at).startsWith(needText(other, at)),
  'endsWith/2': ([text, other], at) => needText(text, at).endsWith(needText(other, at)),
  'contains/2': ([text, other], at) => needText(text, at).includes(needText(other, at)),
  'matches/2': ([text, pattern], at) => matches(needText(text, at), needText(pattern, at), at),
  'lowerAscii/1': ([text], at) => needText(text, at).replace(/[A-Z]+/g, (part) => part.toLowerCase()),
  'upperAscii/1': ([text], at) => needText(text, at).replace(/[a-z]+/g, (part) => part.toUpperCase()),
  ...textMethods,
  ...timeMethods,
};

function needText(value: Value | undefined, at: number): string {
  const text = needString(value as Value, at);
  spendOnText(text.length);
  return text;
}

function matches(text: string, pattern: string, at: number): boolean {
  spend(text.length / 4);
  return matchesPattern(text, pattern, at);
}

function size(value: Value, at: number): number {
  if (typeof value === 'string') return charactersOf(needText(value, at));
  if (isList(value)) return value.length;
  if (isObject(value)) {
    const names = Object.keys(value).length;
    spend(names);
    return names;
  }
  throw new EvaluationError(`A ${kindOf(value)} has no size.`, at);
}

/** Of a time, the whole seconds since 1970. */
function toInt(value: Value, at: number): number {
  if (value instanceof Timestamp) return Math.floor(value.micros / 1_000_000);
  return Math.trunc(toNumber(value, { form: /^[+-]?[0-9]{1,19}$/, at }));
}

function toNumber(value: Value, { form, at }: { form: RegExp; at: number }): number {
  if (isNumber(value)) return Number(value);
  if (typeof value === 'string' && form.test(value)) return Number(value);
  throw new EvaluationError(`This ${kindOf(value)} is not a number.`, at);
}

function toText(value: Value, at: number): string {
  if (typeof value === 'string') return value;
  if (isNumber(value) || typeof value === 'boolean') return String(value);
  if (value instanceof Timestamp) return timeText(value, at);
  if (value instanceof Duration) return durationText(value);
  throw new EvaluationError(`A ${kindOf(value)} does not become a string.`, at);
}
