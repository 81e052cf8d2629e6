type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** One child of a JSON value: its name or index, and its exact text. */
export interface JsonChild {
  name: string;
  text: string;
}

/** A child of a JSON value, and the index of its text in that of the value. */
export interface LocatedChild extends JsonChild {
  from: number;
}

/** Returns whether values of a column are numbers, apart from those that are null or missing. */
export function areNumbers(texts: readonly (string | undefined)[]): boolean {
  const values = texts.filter((text) => text !== undefined && text !== 'null');
  return values.length > 0 && values.every((text) => kindOf(text!) === 'number');
}

const kinds = new Map<string | undefined, JsonKind>([
  ['{', 'object'],
  ['[', 'array'],
  ['"', 'string'],
  ['t', 'boolean'],
  ['f', 'boolean'],
  ['n', 'null'],
]);

/** Returns the kind of a JSON value by its first character. `text` must be valid JSON without leading space. */
export function kindOf(text: string): JsonKind {
  return kinds.get(text[0]) ?? 'number';
}

/**
 * Yields the children of an object or an array in their order, each with its exact text, repeated names included.
 * Reading stops where the caller stops: a large value costs only what is shown of it.
 */
export function* childrenOf(text: string): Generator<LocatedChild, void, undefined> {
  const isObject = text[0] === '{';
  let at = skipSpace(text, 1);
  for (let index = 0; at < text.length && text[at] !== '}' && text[at] !== ']'; index++) {
    let name = String(index);
    if (isObject) {
      const end = endOfString(text, at);
      name = JSON.parse(text.slice(at, end)) as string;
      at = skipSpace(text, text.indexOf(':', end) + 1);
    }
    const end = endOfValue(text, at);
    yield { name, text: text.slice(at, end), from: at };
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
}

/** Returns the exact text of one member of an object; undefined if there is none. */
export function memberText(text: string, name: string): string | undefined {
  return kindOf(text) === 'object' ? textAt(text, [name]) : undefined;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') return endOfScalar(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const one = text[at];
    if (one === '"') at = endOfString(text, at) - 1;
    else if (one === '{' || one === '[') depth++;
    else if ((one === '}' || one === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

function endOfScalar(text: string, start: number): number {
  let at = start;
  while (at < text.length && !/[\s,\]}]/.test(text[at]!)) at++;
  return at;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at]!)) at++;
  return at;
}

/** Returns the exact text at a path of names and indexes; undefined if there is nothing. */
export function textAt(text: string, path: readonly (string | number)[]): string | undefined {
  let value: string | undefined = text.trim();
  for (const name of path) {
    if (value === undefined || !/^[[{]/.test(value)) return undefined;
    let found: string | undefined;
    for (const child of childrenOf(value)) if (child.name === String(name)) found = child.text;
    value = found;
  }
  return value;
}

/** Returns the text of the data in a pasted text, which is the data itself or a whole event. */
export function pastedData(text: string): string {
  return isEvent(text) ? memberText(text.trim(), 'data')! : text.trim();
}

function isEvent(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return false;
    return Object.hasOwn(parsed, 'data') && Object.hasOwn(parsed, 'event_type');
  } catch {
    // The text stays as it is: its error is shown when it is sent.
    return false;
  }
}
