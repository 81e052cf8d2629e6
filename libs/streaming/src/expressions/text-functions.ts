import { spend, spendOnText } from './budget.js';
import type { Call } from './call.js';
import { EvaluationError } from './errors.js';
import { isList, isNumber, needString, type Value } from './values.js';

const surrogates = /[\ud800-\udfff]/;

/** The methods of CEL's extension for strings; places are counted in characters (code points), from 0. */
export const textMethods: Record<string, Call> = {
  'trim/1': ([text], at) => needText(text as Value, at).trim(),
  'indexOf/2': ([text, other], at) => place('indexOf', [text as Value, other as Value], at),
  'lastIndexOf/2': ([text, other], at) => place('lastIndexOf', [text as Value, other as Value], at),
  'substring/2': ([text, from], at) => cut(needText(text as Value, at), [from as Value], at),
  'substring/3': ([text, from, to], at) => cut(needText(text as Value, at), [from as Value, to as Value], at),
  'split/2': ([text, separator], at) => split(needText(text as Value, at), needText(separator as Value, at)),
  'join/1': ([list], at) => join(list as Value, '', at),
  'join/2': ([list, separator], at) => join(list as Value, needText(separator as Value, at), at),
};

function needText(value: Value, at: number): string {
  const text = needString(value, at);
  spendOnText(text.length);
  return text;
}

/** -1 where it does not stand there. */
function place(method: 'indexOf' | 'lastIndexOf', [of, part]: [Value, Value], at: number): number {
  const text = needText(of, at);
  const found = text[method](needText(part, at));
  return found <= 0 ? found : charactersOf(text.slice(0, found));
}

/** From the first place up to, not including, the second. */
function cut(text: string, places: Value[], at: number): string {
  const isPlain = !surrogates.test(text);
  if (!isPlain) spend(text.length / 4);
  const all = isPlain ? text : [...text];
  const [from = 0, to = all.length] = places.map((place) => needPlace(place, at));
  if (from > to || to > all.length) throw new EvaluationError('The text has no such place.', at);
  const part = all.slice(from, to);
  return typeof part === 'string' ? part : part.join('');
}

function needPlace(value: Value, at: number): number {
  if (isNumber(value) && Number.isSafeInteger(value) && value >= 0) return Number(value);
  throw new EvaluationError('A place in a text is a whole number from 0.', at);
}

function split(text: string, separator: string): readonly string[] {
  const parts = text.split(separator);
  spend(parts.length);
  return parts;
}

function join(list: Value, separator: string, at: number): string {
  if (!isList(list)) throw new EvaluationError('join() needs a list of strings.', at);
  spend(list.length);
  spendOnText(separator.length * list.length);
  return list.map((item) => needText(item, at)).join(separator);
}

/** Code points. */
export function charactersOf(text: string): number {
  if (!surrogates.test(text)) return text.length;
  spend(text.length / 4);
  return [...text].length;
}
