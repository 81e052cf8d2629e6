import { readTree, treeText, type JsonTree } from './json-tree.js';
import { growthBy, mergePatch } from './merge-patch.js';

/** The state of an entity while its events are folded. Snapshots store the text of `entityStateText`. */
export interface EntityState {
  readonly value: JsonTree;
  /** Characters of the state's JSON text. */
  readonly characters: number;
  /** Characters of the event texts that values of the state are slices of. A slice keeps the whole text in memory. */
  readonly alive: number;
}

/** The most characters of JSON of a state. An event that would exceed them is rejected. */
const mostCharacters = 1024 * 1024;

/**
 * The most characters of event texts that a state keeps in memory. Above this limit, the state is copied into one text.
 */
const mostAlive = 4 * mostCharacters;

/** Returns the state that a snapshot text holds; without a text, the state without events. */
export function readEntityState(text = '{}'): EntityState {
  return { value: readTree(text), characters: text.length, alive: text.length };
}

/**
 * Returns the state after the entity's next event. The event's `data`, the raw JSON text of an object, is applied as a
 * merge patch (RFC 7396). Numbers, strings and lists keep their original text, and members their order of arrival. The
 * caller must not use the given state afterwards.
 *
 * Returns undefined, and leaves the state unchanged, if the state would exceed 1 048 576 characters of JSON. The cost
 * depends on the event and the values that it removes, not on the size of the state.
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

/** Returns the JSON text of the state, an object. Snapshots store this text. */
export function entityStateText({ value }: EntityState): string {
  return treeText(value);
}
