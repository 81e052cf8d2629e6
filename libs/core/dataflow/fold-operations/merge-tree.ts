import { memberValue, isObject, type CelValue } from '#cel';
import { storedText } from './fold-operation.js';
import { comparePositions, type FoldEventSortKey } from './position.js';

/**
 * One member of the result of merge patches (RFC 7396) applied in any order. Each part records the position of the
 * event that set it; the later position wins.
 */
export type MergePatchNode = {
  /** The last value that is not an object, as JSON text, with its position; null if the member was removed. */
  readonly set?: readonly [value: string | null, position: FoldEventSortKey];
  /** The position of the last merge patch that made the member an object, if it is later than `set`. */
  readonly object?: FoldEventSortKey;
  /** The members of the node's object, sorted by name. The position of every member is later than that of `set`. */
  readonly members?: MergePatchNodeMembers;
};

type MergePatchNodeMembers = readonly (readonly [name: string, node: MergePatchNode])[];

/** Characters that a member adds to the weight besides its name and its value, mostly for the position of its event. */
const memberCost = 64;

/** The position of the patch that is being applied, and an upper bound of the weight that it adds. */
export interface MergePatchApplication {
  readonly position: FoldEventSortKey;
  gained: number;
  /** The limit of `gained`, at which `applyPatch` stops, because the caller rejects the patch. */
  readonly most: number;
}

/** Returns the node after a merge patch is applied at its position. @throws FoldRejectedError if a value is too long */
export function applyPatch(
  node: MergePatchNode,
  patch: CelValue,
  patching: MergePatchApplication,
): MergePatchNode {
  const { position } = patching;
  if (node.set && comparePositions(node.set[1], position) > 0) return node;
  if (!isObject(patch)) {
    const text = patch === null ? null : storedText(patch);
    patching.gained += text?.length ?? 0;
    return set(node, [text, position]);
  }
  const changed: [string, MergePatchNode][] = [];
  for (const name of Object.keys(patch)) {
    patching.gained += name.length + memberCost;
    if (patching.gained > patching.most) break;
    changed.push([name, applyPatch(memberOf(node, name), memberValue(patch, name), patching)]);
  }
  return { ...node, object: later(node.object, position), members: union(node.members ?? [], changed) };
}

/** Returns the characters of a node's names and values, plus 64 for each member, including removed ones. */
export function weightOf(node: MergePatchNode): number {
  let weight = node.set?.[0]?.length ?? 0;
  for (const [name, member] of node.members ?? []) weight += name.length + memberCost + weightOf(member);
  return weight;
}

/** Merges two nodes: returns the node that results from the patches of both, whatever their order. */
export function mergeNodes(a: MergePatchNode, b: MergePatchNode): MergePatchNode {
  const last = a.set && b.set ? (comparePositions(a.set[1], b.set[1]) > 0 ? a.set : b.set) : (a.set ?? b.set);
  const [x, y] = last ? [a.set === last ? a : set(a, last), b.set === last ? b : set(b, last)] : [a, b];
  if (!x.object || !y.object) return x.object ? x : y;
  const both = (y.members ?? []).map(([name, node]): [string, MergePatchNode] => [
    name,
    mergeNodes(memberOf(x, name), node),
  ]);
  return { ...x, object: later(x.object, y.object), members: union(x.members ?? [], both) };
}

/** Returns a node as JSON text with sorted names; undefined if it was removed or never set. */
export function nodeText(node: MergePatchNode): string | undefined {
  if (!node.object) return node.set?.[0] ?? undefined;
  const members: string[] = [];
  for (const [name, member] of node.members ?? []) {
    const text = nodeText(member);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

/** Returns the node after the value `last` was set: only members with a later position remain. */
function set(node: MergePatchNode, last: NonNullable<MergePatchNode['set']>): MergePatchNode {
  return { set: last, ...objectAfter(node, last[1]) };
}

/** Returns what events after this position have set; undefined if nothing. */
function after(node: MergePatchNode, position: FoldEventSortKey): MergePatchNode | undefined {
  const isSet = node.set !== undefined && comparePositions(node.set[1], position) > 0;
  const left = { ...(isSet && { set: node.set }), ...objectAfter(node, position) };
  return left.set || left.object ? left : undefined;
}

function objectAfter(
  { object, members }: MergePatchNode,
  position: FoldEventSortKey,
): Pick<MergePatchNode, 'object' | 'members'> {
  if (!object || comparePositions(object, position) <= 0) return {};
  const left: [string, MergePatchNode][] = [];
  for (const [name, member] of members ?? []) {
    const later = after(member, position);
    if (later) left.push([name, later]);
  }
  return { object, members: left };
}

const unknown: MergePatchNode = {};

function memberOf({ members = [] }: MergePatchNode, name: string): MergePatchNode {
  const found = members[indexOfName(members, name)];
  return found?.[0] === name ? found[1] : unknown;
}

/** Returns the union of two sorted lists of members. A member of `changed` replaces the member of the same name. */
function union(members: MergePatchNodeMembers, changed: MergePatchNodeMembers): MergePatchNodeMembers {
  const all = members.slice();
  for (const entry of changed) {
    const at = indexOfName(all, entry[0]);
    all.splice(at, all[at]?.[0] === entry[0] ? 1 : 0, entry);
  }
  return all;
}

/** Returns the index of a name in the sorted members, or the index at which to insert it. */
function indexOfName(members: MergePatchNodeMembers, name: string): number {
  let [low, high] = [0, members.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (members[middle]![0] < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

function later(a: FoldEventSortKey | undefined, b: FoldEventSortKey): FoldEventSortKey {
  return a && comparePositions(a, b) > 0 ? a : b;
}
