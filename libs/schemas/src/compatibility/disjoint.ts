import { canonical } from '../values/equality.js';
import type { MemberModel } from './members.js';
import { highest, largest, least, lowest, type Count, type End } from './ranges.js';
import type { Shape } from './shape.js';
import { kinds, kindsOf, numberKinds } from './types.js';
import { requiredBy, valuesOf } from './values.js';

/** Options for the search for contradictions in one shape, or between two shapes. */
export interface Look {
  members: MemberModel;
  /** Number of levels of object members that the search may still descend. */
  depth: number;
}

/** Whether a quick check proves that no value matches the shape. */
export function isEmpty(shape: Shape, look: Look): boolean {
  const some = kindsOf(shape);
  if (some === 0 || valuesOf(shape)?.length === 0) return true;
  if (some !== kinds.object || look.depth === 0) return false;
  return [...requiredBy(shape)].some((name) => isEmpty(look.members.member(shape, name), deeper(look)));
}

/**
 * Whether a quick check proves that no value matches both shapes: it compares types, listed values, ranges
 * and required members.
 */
export function areDisjoint(a: Shape, b: Shape, look: Look): boolean {
  const both = kindsOf(a) & kindsOf(b);
  if (both === 0) return true;
  const [some, others] = [valuesOf(a), valuesOf(b)];
  if (some && others)
    return !some.some((value) => others.some((other) => canonical(other) === canonical(value)));
  const apart = [
    (both & numberKinds) === 0 || rangesAreApart(a, b),
    (both & kinds.object) === 0 || (look.depth > 0 && membersAreApart(a, b, deeper(look))),
    (both & kinds.string) === 0 || countsAreApart(a, b, 'Length'),
    (both & kinds.array) === 0 || countsAreApart(a, b, 'Items'),
    (both & (kinds.null | kinds.boolean)) === 0,
  ];
  return apart.every(Boolean);
}

function deeper({ members, depth }: Look): Look {
  return { members, depth: depth - 1 };
}

function countsAreApart(a: Shape, b: Shape, count: Count): boolean {
  return largest(a, count) < least(b, count) || largest(b, count) < least(a, count);
}

function rangesAreApart(a: Shape, b: Shape): boolean {
  return isBeyond(lowest(a), highest(b)) || isBeyond(lowest(b), highest(a));
}

function isBeyond(low: End, high: End): boolean {
  return low.value > high.value || (low.value === high.value && (low.open || high.open));
}

/** Whether one of the shapes requires a member that cannot have the member's shape in both. */
function membersAreApart(a: Shape, b: Shape, look: Look): boolean {
  return [...requiredBy(a), ...requiredBy(b)].some((name) => {
    const [one, other] = [look.members.member(a, name), look.members.member(b, name)];
    return one.impossible || other.impossible || areDisjoint(one, other, look);
  });
}
