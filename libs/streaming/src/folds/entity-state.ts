import { parseExactJson } from '../expressions/json.js';
import { toJson } from '../expressions/to-json.js';
import type { ValueObject } from '../expressions/values.js';
import { foldLimits } from './limits.js';
import { mergePatch } from './merge-patch.js';

/** The state of an entity while its events are folded; it is kept as the text of `entityStateText`. */
export interface EntityState {
  readonly value: ValueObject;
  /** At least the characters of its text. */
  readonly characters: number;
}

/** By how much text can grow by being read and written: 1e20 becomes 100000000000000000000. */
const mostLonger = 6;

/** Of no event, or as it was kept. */
export function readEntityState(text = '{}'): EntityState {
  return { value: parseExactJson(text) as ValueObject, characters: text.length };
}

/**
 * The state after the entity's next event: its `data`, the raw JSON text of an object, is applied as a merge patch (RFC
 * 7396). Numbers keep all their digits. Undefined where the state would have more than 1 048 576 characters of JSON.
 */
export function addToEntityState(state: EntityState, data: string): EntityState | undefined {
  const value = mergePatch(state.value, parseExactJson(data)) as ValueObject;
  const characters = state.characters + data.length * mostLonger;
  if (characters <= foldLimits.entityCharacters) return { value, characters };
  const text = toJson(value, { maxLength: foldLimits.entityCharacters });
  return text === undefined ? undefined : { value, characters: text.length };
}

/** JSON text of an object: what a snapshot holds. */
export function entityStateText({ value }: EntityState): string {
  return toJson(value, { maxLength: Infinity }) as string;
}
