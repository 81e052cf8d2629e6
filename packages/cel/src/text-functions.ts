import { spend, spendOnText } from './budget.js';
import { EvaluationError } from './errors.js';
import { lastIndexIn, SubstringSearch } from './substring-search.js';
import { isList, isNumber, needString, type CelFunction, type CelValue } from './values.js';

const surrogates = /[\ud800-\udfff]/;

/** Methods of CEL's strings extension. Positions are counted in characters (code points), from 0. */
export const textMethods: Record<string, CelFunction> = {
  'trim/1': ([text], at) => needText(text, at).trim(),
  'indexOf/2': (args, at) =>
    searched(args, at, (all, part) => codePoints(all, new SubstringSearch(part).first(all))),
  'lastIndexOf/2': (args, at) => searched(args, at, (all, part) => codePoints(all, lastIndexIn(all, part))),
  'substring/2': ([text, from], at) => cut(needText(text, at), [from as CelValue], at),
  'substring/3': ([text, from, to], at) => cut(needText(text, at), [from as CelValue, to as CelValue], at),
  'split/2': (args, at) => searched(args, at, split),
  'join/1': ([list], at) => join(list as CelValue, '', at),
  'join/2': ([list, separator], at) => join(list as CelValue, needText(separator, at), at),
};

/** Returns the value as a string, and charges its characters. @throws EvaluationError if it is not a string */
export function needText(value: CelValue | undefined, at: number): string {
  const text = needString(value as CelValue, at);
  spendOnText(text.length);
  return text;
}

/** Searches the second string in the first, and charges both. @throws EvaluationError if one is not a string */
export function searched<T>(
  [text, part]: readonly CelValue[],
  at: number,
  search: (text: string, part: string) => T,
): T {
  const all = needText(text, at);
  spendOnText(all.length);
  return search(all, needText(part, at));
}

/** Converts an index in UTF-16 units into one in code points; -1 remains -1. */
function codePoints(text: string, found: number): number {
  return found <= 0 ? found : charactersOf(text.slice(0, found));
}

/** Returns the part between two positions in code points; the second is exclusive and by default the end. */
function cut(text: string, positions: CelValue[], at: number): string {
  const isPlain = !surrogates.test(text);
  if (!isPlain) spend(text.length / 4);
  const all = isPlain ? text : [...text];
  const [from = 0, to = all.length] = positions.map((position) => needPosition(position, at));
  if (from > to || to > all.length) throw new EvaluationError('The position is outside the text.', at);
  const part = all.slice(from, to);
  return typeof part === 'string' ? part : part.join('');
}

function needPosition(value: CelValue, at: number): number {
  if (isNumber(value) && Number.isSafeInteger(value) && value >= 0) return Number(value);
  throw new EvaluationError('A position in a text is a whole number from 0.', at);
}

function split(text: string, separator: string): readonly string[] {
  const parts = new SubstringSearch(separator).split(text);
  spend(parts.length);
  return parts;
}

function join(list: CelValue, separator: string, at: number): string {
  if (!isList(list)) throw new EvaluationError('join() needs a list of strings.', at);
  spend(list.length);
  spendOnText(separator.length * list.length);
  return list.map((item) => needText(item, at)).join(separator);
}

/** Returns the number of code points of a text. */
export function charactersOf(text: string): number {
  if (!surrogates.test(text)) return text.length;
  spend(text.length / 4);
  return [...text].length;
}
