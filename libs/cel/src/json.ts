import { randomUUID } from 'node:crypto';
import { Decimal, numeric, readDecimal } from './decimal.js';
import type { Value, ValueObject } from './values.js';

/** Strings first, so that digits in them are passed over. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const mark = `${randomUUID()}:`;

const surrogate = /\\u[dD][89a-fA-F]/;
const escapes = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\./g;
const loneSurrogate = /^\\u[dD][89a-fA-F]..$/;

/** Numbers with many digits, or with an exponent; in strings too, where they do no harm. */
const longNumbers = /(?:^|[:,[])\s*(-?(?:[\d.]{16,}(?:[eE][+-]?\d+)?|[\d.]+[eE][+-]?\d+))/g;

/**
 * Whether a text has only numbers that a double's shortest text says, so that JSON.parse reads them exactly. False also
 * of some others.
 */
function hasPlainNumbers(text: string): boolean {
  longNumbers.lastIndex = 0;
  for (let found = longNumbers.exec(text); found; found = longNumbers.exec(text)) {
    const token = found[1] as string;
    const number = Number(token);
    const isPlain = String(number) === token && (Math.abs(number) < 2 ** 53 || !Number.isInteger(number));
    if (isPlain) continue;
    longNumbers.lastIndex = 0;
    return false;
  }
  return true;
}

/**
 * JSON text as values, its numbers exactly: a double where its shortest text says the same, a bigint where it is whole,
 * else a Decimal, which those with very many digits or a large exponent are too. A surrogate that stands alone becomes
 * U+FFFD, as it does in every text that is written as UTF-8.
 */
export function parseExactJson(text: string): Value {
  if (hasPlainNumbers(text)) return JSON.parse(wellFormed(text)) as Value;
  return parseMarked(wellFormed(text).replace(tokens, exactToken));
}

function wellFormed(text: string): string {
  return surrogate.test(text) ? text.replace(escapes, readableEscape) : text;
}

function parseMarked(text: string): Value {
  return unmarked(JSON.parse(text) as Value);
}

/** Replaces what is marked, in place: a reviver of JSON.parse takes several times as long. */
function unmarked(value: Value): Value {
  if (typeof value === 'string')
    return value.startsWith(mark) ? exactNumber(value.slice(mark.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list = value as Value[];
    for (let i = 0; i < list.length; i++) list[i] = unmarked(list[i]!);
    return list;
  }
  const object = value as ValueObject;
  for (const name of Object.keys(object)) {
    const member = object[name]!;
    const exact = unmarked(member);
    // Defined rather than assigned: the name may be __proto__.
    if (exact !== member)
      Object.defineProperty(object, name, {
        value: exact,
        ...{ enumerable: true, configurable: true, writable: true },
      });
  }
  return object;
}

const exponent = /[eE]/;

function exactToken(token: string): string {
  if (token.startsWith('"') || (token.length <= 15 && !exponent.test(token))) return token;
  return `"${mark}${token}"`;
}

/** The powers of ten of what is read at once; a text of many larger ones would take seconds. */
const farthest = 60;
const power = /[eE]([+-]?\d+)$/;

function exactNumber(text: string): Value {
  if (text.length > farthest || Math.abs(Number(power.exec(text)?.[1] ?? 0)) > farthest)
    return new Decimal(text);
  const value = readDecimal(text);
  return (value && numeric(value)) ?? new Decimal(text);
}

function readableEscape(escape: string): string {
  return loneSurrogate.test(escape) ? '\\ufffd' : escape;
}
