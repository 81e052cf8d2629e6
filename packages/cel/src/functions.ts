import { lowerAscii, upperAscii } from './ascii-case.js';
import { spend } from './budget.js';
import { EvaluationError } from './errors.js';
import { numberText, toDouble, toInt } from './numbers.js';
import { matchesPattern } from './pattern.js';
import { charactersOf, needText, searched, textMethods } from './text-functions.js';
import { SubstringSearch } from './substring-search.js';
import { durationText, timeFunctions, timeMethods, timeText } from './time-functions.js';
import {
  Duration,
  isList,
  isNumeric,
  isObject,
  kindOf,
  Timestamp,
  type CelFunction,
  type CelValue,
} from './values.js';

/** CEL functions that are not methods, by name and number of arguments, such as `size/1`. */
export const functions: Record<string, CelFunction> = {
  'size/1': ([value], at) => size(value as CelValue, at),
  'dyn/1': ([value]) => value as CelValue,
  'int/1': ([value], at) => toInt(value as CelValue, at),
  'double/1': ([value], at) => toDouble(value as CelValue, at),
  'string/1': ([value], at) => toText(value as CelValue, at),
  ...timeFunctions,
};

/** CEL methods, by name and number of arguments including the object, such as `startsWith/2`. */
export const methods: Record<string, CelFunction> = {
  'size/1': ([value], at) => size(value as CelValue, at),
  'startsWith/2': ([text, other], at) => needText(text, at).startsWith(needText(other, at)),
  'endsWith/2': ([text, other], at) => needText(text, at).endsWith(needText(other, at)),
  'contains/2': (args, at) => searched(args, at, (all, part) => new SubstringSearch(part).first(all) >= 0),
  'matches/2': ([text, pattern], at) => matchesPattern(needText(text, at), needText(pattern, at), at),
  'lowerAscii/1': ([text], at) => lowerAscii(needText(text, at)),
  'upperAscii/1': ([text], at) => upperAscii(needText(text, at)),
  ...textMethods,
  ...timeMethods,
};

function size(value: CelValue, at: number): number {
  if (typeof value === 'string') return charactersOf(needText(value, at));
  if (isList(value)) return value.length;
  if (isObject(value)) {
    const names = Object.keys(value).length;
    spend(names);
    return names;
  }
  throw new EvaluationError(`A ${kindOf(value)} has no size.`, at);
}

function toText(value: CelValue, at: number): string {
  if (typeof value === 'string') return value;
  if (isNumeric(value)) return numberText(value, at);
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Timestamp) return timeText(value, at);
  if (value instanceof Duration) return durationText(value);
  throw new EvaluationError(`A ${kindOf(value)} cannot be converted to a string.`, at);
}
