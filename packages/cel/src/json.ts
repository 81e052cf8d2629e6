import { parseWithNumbers, type NumberConverter } from '#json';
import { DecimalText, numeric, readDecimal } from './decimal.js';
import type { CelValue } from './values.js';

const surrogate = /\\u[dD][89a-fA-F]/;
const escapes = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\./g;
const loneSurrogate = /^\\u[dD][89a-fA-F]..$/;

/** Matches numbers with many digits or with an exponent, also inside strings, where they do no harm. */
const longNumbers = /(?:^|[:,[])\s*(-?(?:[\d.]{16,}(?:[eE][+-]?\d+)?|[\d.]+[eE][+-]?\d+))/g;

/** Returns whether JSON.parse reads all numbers of a text exactly. The result may be false although it does. */
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
 * Parses JSON text with exact numbers: a double if its shortest text is the same number, a bigint if it is whole, and
 * otherwise a DecimalText, also with very many digits or a large exponent. An unpaired surrogate becomes U+FFFD, as in
 * every text that is written as UTF-8.
 */
export function parseExactJson(text: string): CelValue {
  if (hasPlainNumbers(text)) return JSON.parse(wellFormed(text)) as CelValue;
  return parseWithNumbers(wellFormed(text), exactNumbers) as CelValue;
}

function wellFormed(text: string): string {
  return surrogate.test(text) ? text.replace(escapes, readableEscape) : text;
}

/**
 * Maximum digits, and largest exponent, of a number that is converted at once. Others remain text until an expression
 * computes with them: converting many such numbers would take seconds.
 */
const farthest = 60;
const power = /[eE]([+-]?\d+)$/;

const exponent = /[eE]/;

const exactNumbers: NumberConverter = {
  takes: (text) => text.length > 15 || exponent.test(text),
  read: exactNumber,
};

function exactNumber(text: string): CelValue {
  if (text.length > farthest || Math.abs(Number(power.exec(text)?.[1] ?? 0)) > farthest)
    return new DecimalText(text);
  const value = readDecimal(text);
  return (value && numeric(value)) ?? new DecimalText(text);
}

function readableEscape(escape: string): string {
  return loneSurrogate.test(escape) ? '\\ufffd' : escape;
}
