import { toJson, type CelValue } from '#cel';
import { FoldRejectedError } from './fold-operation.js';

/** Maximum number of characters of JSON text that `min`, `max`, `first`, `last` and `merge` store for a value. */
const valueCharacters = 64 * 1024;

/** Returns the JSON text of a value that a state stores. @throws FoldRejectedError if the text is longer than `maxLength` */
export function storedText(value: CelValue, maxLength: number = valueCharacters): string {
  const text = toJson(value, { maxLength });
  if (text !== undefined) return text;
  throw new FoldRejectedError(`A stored value has at most ${maxLength} characters of JSON.`);
}
