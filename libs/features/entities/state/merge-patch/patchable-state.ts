import { MergePatchBuffer } from './merge-patch-buffer.js';
import { readTree, treeText, type JsonTree } from './json-tree.js';
import { growthBy, mergePatch } from './merge-patch.js';

/** The state of an entity in memory; snapshots store it as `entityStateText`. */
export interface EntityState {
  readonly value: JsonTree;
  /** Number of characters of the entity's state as JSON text. */
  readonly characters: number;
  /** Characters of all event texts of which values may be slices: a slice keeps the whole text in memory. */
  readonly alive: number;
}

/** Maximum number of characters of a state as JSON text. An event that would exceed it is not applied. */
const mostCharacters = 1024 * 1024;

/** Maximum of `alive`. Above it, the state is written into one text and parsed again. */
const mostAlive = 4 * mostCharacters;

/** The patch of the event that is being applied; all states share it. */
const smallPatch = new MergePatchBuffer();

/** Parses the text that a snapshot stores; without a text, returns the state before the first event. */
export function readEntityState(text = '{}'): EntityState {
  return { value: readTree(text), characters: text.length, alive: text.length };
}

/**
 * Returns the state after the next event, whose `data` (the JSON text of an object) is applied as a merge patch (RFC
 * 7396). Values keep their original text, and members their order of arrival. The caller must not use the given state
 * afterwards. Returns undefined, and leaves the state unchanged, if it would exceed 1 048 576 characters. The cost
 * depends on the event and the values that it removes, not on the size of the state.
 */
export function addToEntityState(state: EntityState, data: string): EntityState | undefined {
  const { value } = state;
  const alive = state.alive + data.length;
  // The text of a state grows at most by the text of an event.
  if (typeof value !== 'string' && state.characters + data.length <= mostCharacters && smallPatch.read(data))
    return onItsOwn({ value, characters: state.characters + smallPatch.applyTo(value), alive });
  const patch = readTree(data);
  const characters = state.characters + growthBy(patch, value);
  if (characters > mostCharacters) return undefined;
  return onItsOwn({ value: mergePatch(value, patch), characters, alive });
}

function onItsOwn(state: EntityState): EntityState {
  return state.alive > mostAlive ? compactEntityState(state) : state;
}

/** Copies a state, so that it keeps no text of an event in memory. The caller must not use the given state afterwards. */
export function compactEntityState(state: EntityState): EntityState {
  return readEntityState(entityStateText(state));
}

/** Returns an entity's state as the JSON text of an object, which snapshots store. */
export function entityStateText({ value }: EntityState): string {
  return treeText(value);
}
