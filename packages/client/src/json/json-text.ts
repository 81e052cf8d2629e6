import { InvalidAnswerError } from '../errors/tributary-error.js';

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

/** Returns the members of a valid JSON object, each value as text with all digits of its numbers. */
export function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = afterSpace(text, text.indexOf('{') + 1);
  while (text.charCodeAt(at) === quote) {
    const nameEnd = endOfString(text, at);
    const start = afterSpace(text, text.indexOf(':', nameEnd) + 1);
    const end = endOfValue(text, start);
    members.set(JSON.parse(text.slice(at, nameEnd)) as string, text.slice(start, end));
    at = nextItem(text, end);
  }
  return members;
}

/** Returns the elements of a JSON array, each as text. `text` must be valid JSON. */
export function elementsOf(text: string): string[] {
  const elements: string[] = [];
  let at = afterSpace(text, text.indexOf('[') + 1);
  while (at < text.length && text.charCodeAt(at) !== closeBracket) {
    const end = endOfValue(text, at);
    elements.push(text.slice(at, end));
    at = nextItem(text, end);
  }
  return elements;
}

/** Returns the position of the next item, or of the bracket that ends the list. */
function nextItem(text: string, end: number): number {
  const at = afterSpace(text, end);
  return text.charCodeAt(at) === comma ? afterSpace(text, at + 1) : at;
}

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === quote) return endOfString(text, start);
  if (first === openBrace || first === openBracket) return endOfNested(text, start);
  let at = start;
  while (at < text.length && !endsScalar(text.charCodeAt(at))) at++;
  return at;
}

function endOfNested(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at) - 1;
    else if (code === openBrace || code === openBracket) depth++;
    else if ((code === closeBrace || code === closeBracket) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Returns the end of a string: a quote after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end + 1;
  }
  return text.length;
}

function afterSpace(text: string, at: number): number {
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function endsScalar(code: number): boolean {
  return code === comma || code === closeBrace || code === closeBracket || isSpace(code);
}

/** Parses an answer. @throws InvalidAnswerError */
export function parseJson<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new InvalidAnswerError('The answer is not JSON.', { cause: error });
  }
}
