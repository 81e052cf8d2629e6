import { likelyPath, type Variable } from './variable.js';

/** Operators of SQL and other languages, with what to write in CEL instead. */
const words: Record<string, string> = {
  and: 'write && instead of "and"',
  or: 'write || instead of "or"',
  not: 'write ! instead of "not"',
  is: 'compare with == or !=, such as == null',
  like: 'use startsWith(), endsWith(), contains() or matches()',
  between: 'write two comparisons, joined by &&',
};

const functions: Record<string, string> = {
  ...words,
  length: 'use size()',
  lower: 'use the method lowerAscii()',
  upper: 'use the method upperAscii()',
  includes: 'use contains()',
};

/** Returns the word at a syntax error if it is an operator of another language, such as AND; else undefined. */
export function foreignWordAt(text: string, at: number): string | undefined {
  const word = /^[A-Za-z]+/.exec(text.slice(at))?.[0] ?? '';
  return wordHint(word) === undefined ? undefined : word;
}

/** How an expression uses an unknown name. */
export interface UnknownName {
  member?: string | undefined;
  /** The whole expression, if it is probably a text without quotes. */
  text?: string | undefined;
}

/** Returns a suggestion of what to write instead of an unknown CEL variable. */
export function variableHint(
  name: string,
  variable: Variable,
  { member, text = constantName(name, member) }: UnknownName,
): string {
  if (/^(?:true|false|null)$/i.test(name)) return `write ${name.toLowerCase()}`;
  const [lower, known] = [name.toLowerCase(), variable.name.toLowerCase()];
  const isSimilar = lower === known || lower === `${known}s`;
  if (member !== undefined && isSimilar) return `write ${variable.name}.${member}`;
  const path = likelyPath(variable, name);
  const value = member === undefined ? path : `${path}.${member}`;
  return text === undefined ? `write ${value}` : `write ${value}, or '${text}' for the text`;
}

/** Returns a name in capitals without a member, such as `EUR`, which is probably a text without quotes. */
function constantName(name: string, member?: string): string | undefined {
  return member === undefined && /^[A-Z][A-Z0-9_]*$/.test(name) ? name : undefined;
}

/** Returns what to write instead of a function of another language; undefined for other names. */
export function functionHint(name: string): string | undefined {
  const lower = name.toLowerCase();
  return Object.hasOwn(functions, lower) ? functions[lower] : undefined;
}

/** Returns a suggestion for an error that is typical of users of SQL, JavaScript or Python, or undefined. */
export function hintAt(text: string, at: number): string | undefined {
  const [before, after] = [text.slice(0, at), text.slice(at)];
  if (after.startsWith('=')) return /[=!]=$/.test(before) ? 'compare with == or !=' : 'compare with ==';
  if (after.startsWith('>') && before.endsWith('<')) return 'write != instead of <>';
  if (after.startsWith('&')) return 'write && for "and"';
  if (after.startsWith('|')) return 'write || for "or"';
  if (/^[“”„‘’«»`]/.test(after)) return 'put text in straight quotes: "x" or \'x\'';
  if (after.startsWith(';')) return 'leave out the semicolon';
  if (after.startsWith(',') && /\bin\s*\([^()]*$/.test(before)) return 'write a list in brackets: [1, 2]';
  if (/^not\s+in\b/i.test(after)) return 'write !(x in [1, 2])';
  const word = /^[A-Za-z]+/.exec(after)?.[0] ?? '';
  const wordBefore = /([A-Za-z]+)\s*$/.exec(before)?.[1] ?? '';
  return wordHint(word) ?? wordHint(wordBefore);
}

function wordHint(word: string): string | undefined {
  const lower = word.toLowerCase();
  if (lower === 'in' && word !== lower) return 'write in, in lowercase';
  return Object.hasOwn(words, lower) ? words[lower] : undefined;
}
