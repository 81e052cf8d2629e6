import { hasCharacters } from '#json';
import { plainTextPattern, plainTextRule } from '#api';
import { EvaluationError, kinds, kindsOf, namesOfKinds, toJson, type CelValue } from '#cel';
import { compileExact } from './checked-expression.js';
import type { FoldRejection } from './compile-fold.js';
import { locateExpressionErrors, expressionDetail } from '../definition/definition-error.js';
import type { FoldEvent } from './fold-event.js';
import { foldLimits } from './compile-fields.js';

/** The key of an event; null if the event has no key and is skipped; or the reason why its key is invalid. */
export type KeyResult =
  | { readonly key: string | null; readonly refused?: undefined }
  | { readonly key?: undefined; readonly refused: FoldRejection };

const keyKinds = kinds.string | kinds.number | kinds.boolean | kinds.timestamp;
const pointer = '/key';

/**
 * Compiles a key expression. A key is plain text of 1 to 256 characters; numbers, booleans and times become their JSON
 * text without quotes. Null means that the event has no key.
 * @throws DefinitionError at /key
 */
export function compileKey(text = 'event.entity_id'): (event: FoldEvent) => KeyResult {
  const run = locateExpressionErrors(pointer, () => compileExact(text, keyKinds));
  return (event) => {
    try {
      return keyOf(run(event));
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      return refused(expressionDetail(error));
    }
  };
}

function keyOf(value: CelValue): KeyResult {
  if (value === null) return { key: null };
  const kind = kindsOf(value);
  if (!(kind & keyKinds))
    return refused(`A key is ${namesOfKinds(keyKinds)}, but this is ${namesOfKinds(kind)}.`);
  const key = typeof value === 'string' ? value : textOf(value);
  if (key === undefined || !hasCharacters(key, { most: foldLimits.keyCharacters })) {
    return refused(`A key has 1 to ${foldLimits.keyCharacters} characters.`);
  }
  return plainTextPattern.test(key) ? { key } : refused(`A key ${plainTextRule}.`);
}

function textOf(value: CelValue): string | undefined {
  const text = toJson(value, { maxLength: foldLimits.keyCharacters + 2, sorted: true });
  return text?.startsWith('"') ? text.slice(1, -1) : text;
}

function refused(detail: string): KeyResult {
  return { refused: { pointer, detail } };
}
