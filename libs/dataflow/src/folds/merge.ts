import { kinds } from '#cel';
import { isObject, type Value } from '#cel';
import { RefusedError, type FoldOperation } from './fold-operation.js';
import { foldLimits } from './limits.js';
import { joined, patched, visible, weightOf, type Node, type Patching } from './merge-tree.js';

type Merged = {
  readonly root: Node;
  /** At least the root's weight. */
  readonly weight: number;
};

/**
 * One object that values were applied to as merge patches (RFC 7396), in the order of their events, whatever the order
 * in which they came: null removes a member, objects are merged, everything else replaces. Of none it is {}.
 */
export const merge: FoldOperation<Merged> = {
  takes: kinds.object,
  empty: { root: {}, weight: 0 },
  add: (state, value, position) => {
    if (isDeeper(value, foldLimits.mergedDepth)) {
      throw new RefusedError(`What is merged is nested at most ${foldLimits.mergedDepth} levels deep.`);
    }
    const patching: Patching = { position, gained: 0, most: foldLimits.mergedCharacters };
    const root = patched(state.root, value, patching);
    if (patching.gained > patching.most) throw tooLarge();
    const weight = state.weight + patching.gained;
    return weight <= foldLimits.mergedCharacters ? { root, weight } : { root, weight: admitted(root) };
  },
  merge: (a, b) => ({ root: joined(a.root, b.root), weight: a.weight + b.weight }),
  result: ({ root }) => visible(root) ?? '{}',
};

function admitted(root: Node): number {
  const weight = weightOf(root);
  if (weight > foldLimits.mergedCharacters) throw tooLarge();
  return weight;
}

function tooLarge(): RefusedError {
  const most = foldLimits.mergedCharacters;
  return new RefusedError(`The merged object would pass ${most} characters, removed members included.`);
}

function isDeeper(value: Value, levels: number): boolean {
  if (!isObject(value)) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
