import { randomUUID } from 'node:crypto';
import { Decimal, numeric, readDecimal } from './decimal.js';
import type { Value } from './values.js';

/** Strings first, so that digits in them are passed over. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const whole = /^-?\d+$/;
const mark = `${randomUUID()}:`;

/** A number that a double may not hold: nothing of a text without one can be such a number. */
const large = /\d{16}|\d[eE]\+?\d{3,}\s*(?:[,}\]]|$)/;
const surrogate = /\\u[dD][89a-fA-F]/;
const escapes = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\./g;
const loneSurrogate = /^\\u[dD][89a-fA-F]..$/;

/**
 * JSON text as values. Whole numbers that a double cannot hold become bigints; numbers past the largest double become
 * the largest; a surrogate that stands alone becomes U+FFFD, as it does in every text that is written as UTF-8.
 */
export function parseJson(text: string): Value {
  const readable = wellFormed(text);
  if (!large.test(readable)) return JSON.parse(readable) as Value;
  return parseMarked(readable.replace(tokens, readableToken), BigInt);
}

/** A number that `parseExactJson` may read in another way than `parseJson`: with many digits, or with an exponent. */
const peculiar = /(?:^|[:,[])\s*-?(?:[\d.]{16}|[\d.]+[eE])/;

/** Whether `parseExactJson` may make something else of a text than `parseJson` does. */
export function hasPeculiarNumbers(text: string): boolean {
  return peculiar.test(text);
}

/**
 * JSON text as values, its numbers exactly: a double where its shortest text says the same, a bigint where it is whole,
 * else a Decimal.
 */
export function parseExactJson(text: string): Value {
  const readable = wellFormed(text);
  if (!peculiar.test(readable)) return JSON.parse(readable) as Value;
  return parseMarked(readable.replace(tokens, exactToken), exactNumber);
}

function wellFormed(text: string): string {
  return surrogate.test(text) ? text.replace(escapes, readableEscape) : text;
}

function parseMarked(text: string, read: (number: string) => Value): Value {
  return JSON.parse(text, (_key, value: Value) =>
    typeof value === 'string' && value.startsWith(mark) ? read(value.slice(mark.length)) : value,
  ) as Value;
}

const exponent = /[eE]/;

function exactToken(token: string): string {
  if (token.startsWith('"') || (token.length <= 15 && !exponent.test(token))) return token;
  return `"${mark}${token}"`;
}

function exactNumber(text: string): Value {
  const value = readDecimal(text);
  return (value && numeric(value)) ?? new Decimal(text);
}

function readableEscape(escape: string): string {
  return loneSurrogate.test(escape) ? '\\ufffd' : escape;
}

function readableToken(token: string): string {
  if (token.startsWith('"')) return token;
  const number = Number(token);
  if (!Number.isFinite(number)) return String(Math.sign(number) * Number.MAX_VALUE);
  return whole.test(token) && !Number.isSafeInteger(number) ? `"${mark}${token}"` : token;
}
