import { kinds, isObject, type CelValue } from '#cel';
import { FoldRejectedError, type FoldOperation } from './fold-operation.js';
import {
  mergeNodes,
  applyPatch,
  nodeText,
  weightOf,
  type MergePatchNode,
  type MergePatchApplication,
} from './merge-tree.js';

/** Maximum weight (see `weightOf`) of a `merge` state. An event that would exceed it is rejected. */
export const mergedCharacters = 256 * 1024;

/** Maximum levels of nesting of a value that `merge` accepts; an empty object is one level. */
const mostLevels = 64;

type MergeState = {
  readonly root: MergePatchNode;
  /** An upper bound of `weightOf(root)`, so that the weight need not be computed for each event. */
  readonly weight: number;
};

/**
 * `merge`: the values applied as merge patches (RFC 7396) in the order of their events, in whatever order they arrive.
 * Null removes a member, objects are merged, any other value replaces the member. `{}` without values.
 */
export const merge: FoldOperation<MergeState> = {
  takes: kinds.object,
  resultType: 'json',
  unordered: true,
  empty: { root: {}, weight: 0 },
  add: (state, value, position) => {
    if (isDeeper(value, mostLevels)) {
      throw new FoldRejectedError(`A merged value has at most ${mostLevels} levels of nesting.`);
    }
    const patching: MergePatchApplication = { position, gained: 0, most: mergedCharacters };
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
