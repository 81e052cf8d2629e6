import type { JsonMembers, JsonTree } from './json-tree.js';

/**
 * A JSON merge patch (RFC 7396): the value after `patch` was applied to `target`. Both are used up: objects of either
 * are changed and become part of the result. Recursion is as deep as the patch.
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

/** What a patch makes of nothing. */
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
