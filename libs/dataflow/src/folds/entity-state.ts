import { copyTree, readTree, treeLength, treeText, type JsonTree } from './json-tree.js';
import { foldLimits } from './limits.js';
import { mergePatch } from './merge-patch.js';

/** The state of an entity while its events are folded; what is kept is the text of `entityStateText`. */
export interface EntityState {
  readonly value: JsonTree;
  /** At least the characters of its text. */
  readonly characters: number;
}

/** Of no event, or as it was kept. */
export function readEntityState(text = '{}'): EntityState {
  return { value: readTree(text), characters: text.length };
}

/**
 * The state after the entity's next event: its `data`, the raw JSON text of an object, is applied as a merge patch (RFC
 * 7396). Numbers, strings and lists keep the text that was sent, and members the order in which they came. The state that
 * was given is used up.
 *
 * Undefined where the state would have more than 1 048 576 characters of JSON; then it is as it was.
 */
export function addToEntityState(state: EntityState, data: string): EntityState | undefined {
  const most = foldLimits.entityCharacters;
  const patch = readTree(data);
  const characters = state.characters + data.length;
  if (characters <= most) return { value: mergePatch(state.value, patch), characters };
  const value = mergePatch(copyTree(state.value), patch);
  const length = treeLength(value);
  return length > most ? undefined : { value, characters: length };
}

/** JSON text of an object: what a snapshot holds. */
export function entityStateText({ value }: EntityState): string {
  return treeText(value);
}
