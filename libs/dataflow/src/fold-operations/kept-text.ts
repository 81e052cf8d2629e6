import { toJson } from '#cel';
import type { Value } from '#cel';
import { RefusedError } from './fold-operation.js';

/** Characters of JSON of a value that `min`, `max`, `first` and `last` keep. */
const valueCharacters = 64 * 1024;

/** Returns JSON text of a value that a state keeps. @throws RefusedError when it is too long. */
export function keptText(value: Value, maxLength: number = valueCharacters): string {
  const text = toJson(value, { maxLength });
  if (text !== undefined) return text;
  throw new RefusedError(`A value that is kept here has at most ${maxLength} characters of JSON.`);
}
