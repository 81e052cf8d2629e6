import { childrenOf } from './json-tree.js';

/** A part of a text: UTF-16 indexes from 0, `to` is behind the last character. */
export interface TextRange {
  from: number;
  to: number;
}

/** Returns the names of a JSON pointer. */
export function namesOf(pointer: string): string[] {
  const names = pointer.split('/').slice(1);
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Returns where the value of a JSON pointer is in a valid JSON text. If there is no such value, the range is that of the
 * nearest value around it: an error may name a missing member.
 */
export function rangeOf(text: string, pointer: string): TextRange {
  const start = text.length - text.trimStart().length;
  let range = { from: start, to: text.trimEnd().length };
  for (const name of namesOf(pointer)) {
    const value = text.slice(range.from, range.to);
    if (!/^[[{]/.test(value)) break;
    const child = [...childrenOf(value)].find((one) => one.name === name);
    if (!child) break;
    range = { from: range.from + child.from, to: range.from + child.from + child.text.length };
  }
  return range;
}

/** What is typed at a position of a JSON text. */
export interface JsonPosition {
  /** Names of the members and indexes of the elements that lead to the position; of a name, those of its object. */
  path: readonly string[];
  /** Whether the name of a member is typed here, or a value. */
  isName: boolean;
  /** Index of the first character of what is typed, behind a quote. */
  from: number;
  isQuoted: boolean;
  /** The names that the object has before the position. */
  names: readonly string[];
}

interface Level {
  isObject: boolean;
  /** Whether a name comes next, in an object. */
  isName: boolean;
  /** The member or the element at the position. */
  name: string;
  names: string[];
}

/** Returns what is typed at a position; undefined outside every object and array. The text may be incomplete. */
export function positionIn(text: string, cursor: number): JsonPosition | undefined {
  const levels: Level[] = [];
  let from = cursor - /[\w.-]*$/.exec(text.slice(0, cursor))![0].length;
  let isQuoted = false;
  for (let at = 0; at < cursor; at++) {
    const level = levels.at(-1);
    const one = text[at]!;
    if (one === '"') {
      const end = endOfString(text, at);
      if (end >= cursor) {
        [from, isQuoted] = [at + 1, true];
        break;
      }
      if (level?.isName) {
        level.name = text.slice(at + 1, end);
        level.names.push(level.name);
      }
      at = end;
    } else if (one === '{') levels.push({ isObject: true, isName: true, name: '', names: [] });
    else if (one === '[') levels.push({ isObject: false, isName: false, name: '0', names: [] });
    else if (one === '}' || one === ']') levels.pop();
    else if (one === ':' && level) level.isName = false;
    else if (one === ',' && level?.isObject) level.isName = true;
    else if (one === ',' && level) level.name = String(Number(level.name) + 1);
  }
  const last = levels.at(-1);
  if (!last) return undefined;
  const path = levels.map(({ name }) => name);
  if (last.isName) path.pop();
  return { path, isName: last.isName, from, isQuoted, names: last.names };
}

/** Returns the index of the quote that ends a string; an open string ends at its line. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"' || text[at] === '\n') return at;
  }
  return text.length;
}
