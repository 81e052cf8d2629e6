import { readTree, treeText, type JsonTree } from './json-tree.js';
import { growthBy, mergePatch } from './merge-patch.js';

/** The state of an entity while its events are folded; what is kept is the text of `entityStateText`. */
export interface EntityState {
  readonly value: JsonTree;
  /** The characters of its text. */
  readonly characters: number;
  /** Characters of the texts that its values were cut out of: a value keeps the whole text alive. */
  readonly alive: number;
}

/** Characters of JSON of a state; an event that would pass it is refused. */
const mostCharacters = 1024 * 1024;

/** Texts are kept alive up to so many characters; then the state is written into a text of its own. */
const mostAlive = 4 * mostCharacters;

/** Of no event, or as it was kept. */
export function readEntityState(text = '{}'): EntityState {
  return { value: readTree(text), characters: text.length, alive: text.length };
}

/**
 * The state after the entity's next event: its `data`, the raw JSON text of an object, is applied as a merge patch (RFC
 * 7396). Numbers, strings and lists keep the text that was sent, and members the order in which they came. The state that
 * was given is used up.
 *
 * Undefined where the state would have more than 1 048 576 characters of JSON; then it is as it was. The cost is that of
 * the event and of what it removes, however large the state is.
 */
export function addToEntityState(state: EntityState, data: string): EntityState | undefined {
  const patch = readTree(data);
  const characters = state.characters + growthBy(patch, state.value);
  if (characters > mostCharacters) return undefined;
  return onItsOwn({ value: mergePatch(state.value, patch), characters, alive: state.alive + data.length });
}

function onItsOwn(state: EntityState): EntityState {
  return state.alive > mostAlive ? readEntityState(entityStateText(state)) : state;
}

/** JSON text of an object: what a snapshot holds. */
export function entityStateText({ value }: EntityState): string {
  return treeText(value);
}
