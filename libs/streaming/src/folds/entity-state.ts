import { parseExactJson } from '../expressions/json.js';
import { toJson } from '../expressions/to-json.js';
import type { Value } from '../expressions/values.js';
import { foldLimits } from './limits.js';
import { mergePatch } from './merge-patch.js';

/** The state of an entity while its events are folded; what is kept is the text of `entityStateText`. */
export interface EntityState {
  readonly value: Value;
  /** At least the characters of its text. */
  readonly characters: number;
}

/** By how much text can grow by being read and written: 1e20 becomes 100000000000000000000. */
const mostLonger = 6;

/** Of no event, or as it was kept. */
export function readEntityState(text = '{}'): EntityState {
  return { value: parseExactJson(text), characters: text.length * mostLonger };
}

/**
 * The state after the entity's next event: its `data`, the raw JSON text of an object, is applied as a merge patch (RFC
 * 7396). Numbers keep all their digits. The state that was given is used up.
 *
 * Undefined where the state would have more than 1 048 576 characters of JSON; then it is as it was.
 */
export function addToEntityState(state: EntityState, data: string): EntityState | undefined {
  const most = foldLimits.entityCharacters;
  const patch = parseExactJson(data);
  const characters = state.characters + data.length * mostLonger;
  if (characters <= most) return { value: mergePatch(state.value, patch), characters };
  const value = mergePatch(parseExactJson(entityStateText(state)), patch);
  const text = toJson(value, { maxLength: most });
  return text === undefined ? undefined : { value, characters: text.length };
}

/** JSON text of an object: what a snapshot holds. */
export function entityStateText({ value }: EntityState): string {
  return toJson(value, { maxLength: Infinity }) as string;
}
