import { randomUUID } from 'node:crypto';
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
  const wellFormed = surrogate.test(text) ? text.replace(escapes, readableEscape) : text;
  if (!large.test(wellFormed)) return JSON.parse(wellFormed) as Value;
  return JSON.parse(wellFormed.replace(tokens, readableToken), (_key, value: Value) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  ) as Value;
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
