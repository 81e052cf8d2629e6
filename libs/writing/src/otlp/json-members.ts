import { jsonValue, type JsonScanner } from '#event';
import { unreadable } from './otlp-request-errors.js';

const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Begin and end of a JSON value in the text of a scanner. */
export interface TextRange {
  start: number;
  end: number;
}

/**
 * Finds the value of a member of the JSON object at `start`, without parsing it. Returns undefined if the member is
 * missing or null. The text must be valid JSON.
 */
export function memberOf(scanner: JsonScanner, start: number, name: string): TextRange | undefined {
  const { text } = scanner;
  if (text.charCodeAt(start) !== openBrace) throw unreadable(`the parent of ${name} is not an object`);
  let i = scanner.space(start + 1);
  while (text.charCodeAt(i) !== closeBrace) {
    const nameEnd = scanner.string(i + 1);
    const isFound = jsonValue(text.slice(i, nameEnd)) === name;
    const valueStart = scanner.space(scanner.space(nameEnd) + 1);
    const end = scanner.value(valueStart, 0);
    if (isFound) return text.startsWith('null', valueStart) ? undefined : { start: valueStart, end };
    i = next(scanner, end, closeBrace);
  }
  return undefined;
}

/** Yields the text ranges of the elements of the JSON array at `start`. The text must be valid JSON. */
export function* elements(scanner: JsonScanner, start: number, name: string): Generator<TextRange> {
  const { text } = scanner;
  if (text.charCodeAt(start) !== openBracket) throw unreadable(`${name} is not a list`);
  let i = scanner.space(start + 1);
  while (text.charCodeAt(i) !== closeBracket) {
    scanner.reset();
    const end = scanner.value(i, 0);
    yield { start: i, end };
    i = next(scanner, end, closeBracket);
  }
}

/**
 * Returns the index of the next member or element of the surrounding object or array, or the index of its closing
 * character.
 */
function next(scanner: JsonScanner, end: number, close: number): number {
  const i = scanner.space(end);
  return scanner.text.charCodeAt(i) === close ? i : scanner.space(i + 1);
}
