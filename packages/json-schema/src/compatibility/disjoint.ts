import { canonicalText } from '../values/equality.js';
import type { MemberShapeResolver } from './members.js';
import {
  upperBoundOf,
  maximumCountOf,
  minimumCountOf,
  lowerBoundOf,
  type SizeKeywordSuffix,
  type NumberBound,
  valueKinds,
  valueKindsOf,
  numberKinds,
  requiredBy,
  valuesOf,
} from './types.js';
import type { ValueShape } from './value-shape.js';

/** The shapes of members, and how deep the search for contradictions may go. */
interface ContradictionSearchContext {
  members: MemberShapeResolver;
  /** Number of levels of object members that the search may still descend. */
  depth: number;
}

/** Whether a quick check proves that no JSON value matches the shape. */
export function isEmpty(shape: ValueShape, look: ContradictionSearchContext): boolean {
  const some = valueKindsOf(shape);
  if (some === 0 || valuesOf(shape)?.length === 0) return true;
  if (some !== valueKinds.object || look.depth === 0) return false;
  return [...requiredBy(shape)].some((name) => isEmpty(look.members.member(shape, name), deeper(look)));
}

/** Whether types, listed values, ranges and required members prove that no value matches both shapes. */
export function areDisjoint(a: ValueShape, b: ValueShape, look: ContradictionSearchContext): boolean {
  const both = valueKindsOf(a) & valueKindsOf(b);
  if (both === 0) return true;
  const [some, others] = [valuesOf(a), valuesOf(b)];
  if (some && others)
    return !some.some((value) => others.some((other) => canonicalText(other) === canonicalText(value)));
  const apart = [
    (both & numberKinds) === 0 || rangesAreApart(a, b),
    (both & valueKinds.object) === 0 || (look.depth > 0 && membersAreApart(a, b, deeper(look))),
    (both & valueKinds.string) === 0 || countsAreApart(a, b, 'Length'),
    (both & valueKinds.array) === 0 || countsAreApart(a, b, 'Items'),
    (both & (valueKinds.null | valueKinds.boolean)) === 0,
  ];
  return apart.every(Boolean);
}

function deeper({ members, depth }: ContradictionSearchContext): ContradictionSearchContext {
  return { members, depth: depth - 1 };
}

function countsAreApart(a: ValueShape, b: ValueShape, count: SizeKeywordSuffix): boolean {
  return (
    maximumCountOf(a, count) < minimumCountOf(b, count) || maximumCountOf(b, count) < minimumCountOf(a, count)
  );
}

function rangesAreApart(a: ValueShape, b: ValueShape): boolean {
  return isBeyond(lowerBoundOf(a), upperBoundOf(b)) || isBeyond(lowerBoundOf(b), upperBoundOf(a));
}

function isBeyond(low: NumberBound, high: NumberBound): boolean {
  return low.value > high.value || (low.value === high.value && (low.open || high.open));
}

/** Whether one of the shapes requires a member that cannot have the member's shape in both. */
function membersAreApart(a: ValueShape, b: ValueShape, look: ContradictionSearchContext): boolean {
  return [...requiredBy(a), ...requiredBy(b)].some((name) => {
    const [one, other] = [look.members.member(a, name), look.members.member(b, name)];
    return one.impossible || other.impossible || areDisjoint(one, other, look);
  });
}
