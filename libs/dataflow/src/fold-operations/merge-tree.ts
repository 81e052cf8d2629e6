import { memberValue } from '#cel';
import { isObject, type Value } from '#cel';
import { keptText } from './kept-text.js';
import { comparePositions, type Position } from './position.js';

/**
 * What is known of one member of an object that merge patches (RFC 7396) were applied to, so that the order in which they
 * come does not matter: each part keeps the place of the event that it is from, and the later one wins.
 */
export type Node = {
  /** The last value that was no object, as JSON text, and where it was set; null: it was removed. */
  readonly set?: readonly [value: string | null, position: Position];
  /** Where it was last patched with an object, if that was after `set`. */
  readonly object?: Position;
  /** Of that object, by name in order; all of them are later than `set`. */
  readonly members?: Members;
};

type Members = readonly (readonly [name: string, node: Node])[];

/** What a member costs besides its name and its value, in characters: most of it is the place of its event. */
const memberCost = 64;

/** The event that a patch is from, and the weight that nodes gain by it. */
export interface Patching {
  readonly position: Position;
  gained: number;
  /** Of `gained`; a patch that passes it is left half done, because it will be refused. */
  readonly most: number;
}

/** The node after a patch. @throws RefusedError when a value is too long. */
export function patched(node: Node, patch: Value, patching: Patching): Node {
  const { position } = patching;
  if (node.set && comparePositions(node.set[1], position) > 0) return node;
  if (!isObject(patch)) {
    const text = patch === null ? null : keptText(patch);
    patching.gained += text?.length ?? 0;
    return set(node, [text, position]);
  }
  const changed: [string, Node][] = [];
  for (const name of Object.keys(patch)) {
    patching.gained += name.length + memberCost;
    if (patching.gained > patching.most) break;
    changed.push([name, patched(memberOf(node, name), memberValue(patch, name), patching)]);
  }
  return { ...node, object: later(node.object, position), members: union(node.members ?? [], changed) };
}

/** Characters of names and values, and 64 for each member, removed ones included. */
export function weightOf(node: Node): number {
  let weight = node.set?.[0]?.length ?? 0;
  for (const [name, member] of node.members ?? []) weight += name.length + memberCost + weightOf(member);
  return weight;
}

/** What is known from either of the two. */
export function joined(a: Node, b: Node): Node {
  const last = a.set && b.set ? (comparePositions(a.set[1], b.set[1]) > 0 ? a.set : b.set) : (a.set ?? b.set);
  const [x, y] = last ? [a.set === last ? a : set(a, last), b.set === last ? b : set(b, last)] : [a, b];
  if (!x.object || !y.object) return x.object ? x : y;
  const both = (y.members ?? []).map(([name, node]): [string, Node] => [
    name,
    joined(memberOf(x, name), node),
  ]);
  return { ...x, object: later(x.object, y.object), members: union(x.members ?? [], both) };
}

/** The value as JSON text, names in order; undefined where there is none. */
export function visible(node: Node): string | undefined {
  if (!node.object) return node.set?.[0] ?? undefined;
  const members: string[] = [];
  for (const [name, member] of node.members ?? []) {
    const text = visible(member);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

/** The node as if it had been set there: what it had before that is gone. */
function set(node: Node, last: NonNullable<Node['set']>): Node {
  return { set: last, ...objectAfter(node, last[1]) };
}

/** What of a node is later than a place. */
function after(node: Node, position: Position): Node | undefined {
  const isSet = node.set !== undefined && comparePositions(node.set[1], position) > 0;
  const left = { ...(isSet && { set: node.set }), ...objectAfter(node, position) };
  return left.set || left.object ? left : undefined;
}

function objectAfter({ object, members }: Node, position: Position): Pick<Node, 'object' | 'members'> {
  if (!object || comparePositions(object, position) <= 0) return {};
  const left: [string, Node][] = [];
  for (const [name, member] of members ?? []) {
    const later = after(member, position);
    if (later) left.push([name, later]);
  }
  return { object, members: left };
}

const unknown: Node = {};

function memberOf({ members = [] }: Node, name: string): Node {
  const found = members[placeOf(members, name)];
  return found?.[0] === name ? found[1] : unknown;
}

/** The members, with `changed` (of different names) in the place of those that have their names. */
function union(members: Members, changed: Members): Members {
  const all = members.slice();
  for (const entry of changed) {
    const at = placeOf(all, entry[0]);
    all.splice(at, all[at]?.[0] === entry[0] ? 1 : 0, entry);
  }
  return all;
}

/** Where a name stands in order, or would stand. */
function placeOf(members: Members, name: string): number {
  let [low, high] = [0, members.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (members[middle]![0] < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

function later(a: Position | undefined, b: Position): Position {
  return a && comparePositions(a, b) > 0 ? a : b;
}
