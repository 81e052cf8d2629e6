import { randomUUID } from 'node:crypto';
import { endOfString } from './json-depth.js';

/** Converts selected numbers in place of `JSON.parse`, such as integers that a double cannot represent. */
export interface NumberConverter {
  /** Whether `read` converts this number of the JSON text; `JSON.parse` converts all other numbers. */
  takes(text: string): boolean;
  read(text: string): unknown;
}

/** Random prefix of marked strings. No client can guess it, so no string of the input begins with it. */
const mark = `${randomUUID()}:`;
const form = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses JSON text like `JSON.parse`, but `reader.read` converts the numbers that `reader.takes` accepts, called for
 * all of them before. Meanwhile, these numbers are strings with a random prefix.
 * @throws SyntaxError if the text is not JSON
 */
export function parseWithNumbers(text: string, reader: NumberConverter): unknown {
  const marked = withMarks(text, reader);
  return marked === text ? JSON.parse(text) : withNumbers(JSON.parse(marked), reader);
}

function withMarks(text: string, reader: NumberConverter): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at) + 1;
    } else if (code === 0x2d || isDigit(code)) {
      const end = endOfNumber(text, at);
      const token = text.slice(at, end);
      if (form.test(token) && reader.takes(token)) {
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

/** Returns the index after the last character that may belong to a number: digits, `+`, `-`, `.`, `e`, `E`. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!isDigit(code) && code !== 0x2e && (code | 0x20) !== 0x65 && code !== 0x2b && code !== 0x2d) break;
  }
  return at;
}

/** Converts the marked strings of a parsed value in place. A reviver of `JSON.parse` takes ten times as long. */
function withNumbers(value: unknown, reader: NumberConverter): unknown {
  if (typeof value === 'string')
    return value.startsWith(mark) ? reader.read(value.slice(mark.length)) : value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withNumbers(value[i], reader);
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    for (const name of Object.keys(members)) {
      const member = members[name];
      // `JSON.parse` creates `__proto__` as an own property, so the assignment does not change the prototype.
      if (typeof member === 'string' || typeof member === 'object')
        members[name] = withNumbers(member, reader);
    }
  }
  return value;
}
