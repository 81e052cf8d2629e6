import { frameLength, nameLength, treeLength, type JsonMembers, type JsonTree } from './json-tree.js';

/**
 * Applies a JSON merge patch (RFC 7396) and returns the result, which reuses objects of `target` and of `patch`: the
 * caller must not use them afterwards. The recursion is as deep as the patch.
 */
export function mergePatch(target: JsonTree, patch: JsonTree): JsonTree {
  if (typeof patch === 'string') return patch;
  if (typeof target === 'string') return withoutNulls(patch);
  for (const [name, value] of patch) {
    const before = target.get(name);
    if (value === 'null') target.delete(name);
    else target.set(name, before === undefined ? made(value) : mergePatch(before, value));
  }
  return target;
}

/** Returns the result of applying a merge patch to a missing value: the patch without its nulls. */
function made(patch: JsonTree): JsonTree {
  return typeof patch === 'string' ? patch : withoutNulls(patch);
}

function withoutNulls(patch: JsonMembers): JsonMembers {
  for (const [name, value] of patch) {
    if (value === 'null') patch.delete(name);
    else made(value);
  }
  return patch;
}

/** Returns how many characters the patch adds to the text of `target`; negative if the text shrinks. */
export function growthBy(patch: JsonTree, target: JsonTree): number {
  if (typeof patch === 'string') return patch.length - treeLength(target);
  if (typeof target === 'string') return madeLength(patch) - target.length;
  let growth = 0;
  let members = target.size;
  for (const [name, value] of patch) {
    const before = target.get(name);
    if (before !== undefined && value !== 'null') growth += growthBy(value, before);
    else if (before !== undefined) {
      growth -= nameLength(name) + treeLength(before);
      members--;
    } else if (value !== 'null') {
      growth += nameLength(name) + madeLength(value);
      members++;
    }
  }
  return growth + frameLength(members) - frameLength(target.size);
}

/** Returns the number of characters of the JSON text that results from applying a merge patch to a missing value. */
function madeLength(patch: JsonTree): number {
  if (typeof patch === 'string') return patch.length;
  let length = 0;
  let members = 0;
  for (const [name, value] of patch) {
    if (value === 'null') continue;
    length += nameLength(name) + madeLength(value);
    members++;
  }
  return length + frameLength(members);
}
