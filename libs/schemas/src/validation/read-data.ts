import { randomUUID } from 'node:crypto';
import { readNumber } from './decimal.js';
import { unmetered, type Meter } from './meter.js';

/** Sixteen digits, or an exponent of three: nothing of a text without them is a number that a double cannot stand for. */
const longNumber = /\d{16}|[\d.]{17}|[eE][+-]?\d{3}/;
/** `1e100` is the shortest. */
const shortest = 5;
const numberForm = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Nobody outside of this process can write a string that begins like this. */
const mark = `${randomUUID()}:`;
/** What reading one number exactly takes. An event of nothing but numbers of 17 digits has twice as many for each. */
const stepsOfLongNumber = 40;

/**
 * The JSON text of an event's `data` as a value for `CompiledSchema.validate`: as `JSON.parse` reads it, except for
 * numbers that a double would change, which become `ExactNumber`. Those are charged before anything is read.
 * @throws StepsExceeded
 */
export function readData(text: string, meter: Meter = unmetered): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  const marked = withMarks(text, meter);
  return marked === text ? JSON.parse(text) : withNumbers(JSON.parse(marked));
}

/** The text with its long numbers as strings that begin with the mark. */
function withMarks(text: string, meter: Meter): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
    } else if (code === 0x2d || isDigit(code)) {
      const end = endOfNumber(text, at);
      const token = text.slice(at, end);
      if (token.length >= shortest && isLongNumber(token)) {
        meter.charge(stepsOfLongNumber);
        parts.push(text.slice(copied, at), `"${mark}${token}"`);
        copied = end;
      }
      at = end;
    } else {
      at++;
    }
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** After the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at + 1;
}

/** After the last character that a number may have: digits, `+`, `-`, `.`, `e`, `E`. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!isDigit(code) && code !== 0x2e && (code | 0x20) !== 0x65 && code !== 0x2b && code !== 0x2d) break;
  }
  return at;
}

function isLongNumber(token: string): boolean {
  return longNumber.test(token) && numberForm.test(token);
}

/** The value with numbers in place of the marked strings. A walk: a reviver of `JSON.parse` takes ten times as long. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? readNumber(value.slice(mark.length)) : value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withNumbers(value[i]);
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    for (const name of Object.keys(members)) {
      const member = members[name];
      if (typeof member === 'string' || typeof member === 'object') members[name] = withNumbers(member);
    }
  }
  return value;
}
