import { randomUUID } from 'node:crypto';

/** Reads numbers of JSON text that a double would change. */
export interface NumberReader {
  /** Whether `read` reads this number; `JSON.parse` reads the others. */
  takes(text: string): boolean;
  read(text: string): unknown;
}

/** Nobody outside of this process can write a string that begins like this. */
const mark = `${randomUUID()}:`;
const form = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses JSON text as `JSON.parse` does, except for the numbers that the reader takes: `takes` is asked for all numbers
 * before the first is read. Those numbers are strings with a mark while `JSON.parse` runs.
 * @throws SyntaxError
 */
export function parseWithNumbers(text: string, reader: NumberReader): unknown {
  const marked = withMarks(text, reader);
  return marked === text ? JSON.parse(text) : withNumbers(JSON.parse(marked), reader);
}

function withMarks(text: string, reader: NumberReader): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
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

/** Returns the place after the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at + 1;
}

/** Returns the place after the last character that a number may have: digits, `+`, `-`, `.`, `e`, `E`. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!isDigit(code) && code !== 0x2e && (code | 0x20) !== 0x65 && code !== 0x2b && code !== 0x2d) break;
  }
  return at;
}

/** Replaces the marked strings in place. A walk: a reviver of `JSON.parse` takes ten times as long. */
function withNumbers(value: unknown, reader: NumberReader): unknown {
  if (typeof value === 'string')
    return value.startsWith(mark) ? reader.read(value.slice(mark.length)) : value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withNumbers(value[i], reader);
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    for (const name of Object.keys(members)) {
      const member = members[name];
      // A member called __proto__ is the object's own here, so that it can be assigned.
      if (typeof member === 'string' || typeof member === 'object')
        members[name] = withNumbers(member, reader);
    }
  }
  return value;
}
