import { jsonValue, type JsonScanner } from '#event';
import { unreadable } from './unreadable-logs.js';

const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Where a value begins and ends. */
export interface Span {
  start: number;
  end: number;
}

/** Finds the member of an object by its name; undefined if it is not there, or null. The text is known to be JSON. */
export function memberOf(scanner: JsonScanner, start: number, name: string): Span | undefined {
  const { text } = scanner;
  if (text.charCodeAt(start) !== openBrace) throw unreadable(`where ${name} belongs there is no object`);
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

/** Yields the elements of a list. The text is known to be JSON. */
export function* elements(scanner: JsonScanner, start: number, name: string): Generator<Span> {
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

/** Returns where the next member or element begins, or where `close` stands. */
function next(scanner: JsonScanner, end: number, close: number): number {
  const i = scanner.space(end);
  return scanner.text.charCodeAt(i) === close ? i : scanner.space(i + 1);
}
