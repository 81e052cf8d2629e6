import { kinds, isObject, type CelValue } from '#cel';
import { FoldRejectedError, type FoldOperation } from './fold-operation.js';
import {
  mergeNodes,
  applyPatch,
  nodeText,
  weightOf,
  type MergePatchNode,
  type PatchContext,
} from './merge-tree.js';

/**
 * Maximum weight of a `merge` state: the characters of its names and values, plus 64 for each member, including removed
 * members. An event that would exceed the maximum weight is rejected.
 */
export const mergedCharacters = 256 * 1024;

/** Maximum levels of nesting of a value that `merge` accepts; an empty object is one level. */
const mostLevels = 64;

type MergeState = {
  readonly root: MergePatchNode;
  /**
   * An upper bound of the weight of `root`, which counts the characters of all names and values, plus 64 for each
   * member. With this bound, the exact weight need not be computed for each event.
   */
  readonly weight: number;
};

/**
 * `merge`: the object that results from applying the values as merge patches (RFC 7396) in the order of their events,
 * whatever the order of their arrival. Null removes a member, objects are merged, and any other value replaces the
 * member. Without values the result of `merge` is `{}`.
 */
export const merge: FoldOperation<MergeState> = {
  takes: kinds.object,
  resultType: 'object',
  unordered: true,
  empty: { root: {}, weight: 0 },
  add: (state, value, position) => {
    if (isDeeper(value, mostLevels)) {
      throw new FoldRejectedError(`A merged value has at most ${mostLevels} levels of nesting.`);
    }
    const patching: PatchContext = { position, gained: 0, most: mergedCharacters };
    const root = applyPatch(state.root, value, patching);
    if (patching.gained > patching.most) throw tooLarge();
    const weight = state.weight + patching.gained;
    return weight <= mergedCharacters ? { root, weight } : { root, weight: admitted(root) };
  },
  merge: (a, b) => ({ root: mergeNodes(a.root, b.root), weight: a.weight + b.weight }),
  result: ({ root }) => nodeText(root) ?? '{}',
};

function admitted(root: MergePatchNode): number {
  const weight = weightOf(root);
  if (weight > mergedCharacters) throw tooLarge();
  return weight;
}

function tooLarge(): FoldRejectedError {
  return new FoldRejectedError(
    `The merged object would exceed ${mergedCharacters} characters, including removed members.`,
  );
}

function isDeeper(value: CelValue, levels: number): boolean {
  if (!isObject(value)) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
