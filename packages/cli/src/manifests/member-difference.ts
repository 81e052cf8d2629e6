import { isDeepStrictEqual } from 'node:util';
import type { ComparableDefinition, ResourceOperations } from '../resources/resource.js';

/** A member of a definition that differs from the manifest. */
export interface MemberDifference {
  /** JSON pointer to the member in the definition. */
  path: string;
  found: unknown;
  wanted: unknown;
}

/** Returns the differences. Optional members that the manifest omits are not compared. */
export function differences(
  { optional }: Pick<ResourceOperations, 'optional'>,
  found: ComparableDefinition,
  wanted: ComparableDefinition,
): MemberDifference[] {
  const compared = Object.entries(found).filter(([name]) => name in wanted || !optional.includes(name));
  return differing(Object.fromEntries(compared), wanted, '');
}

function differing(found: unknown, wanted: unknown, path: string): MemberDifference[] {
  if (isDeepStrictEqual(found, wanted)) return [];
  if (Array.isArray(found) && Array.isArray(wanted) && found.length === wanted.length)
    return found.flatMap((one, i) => differing(one, wanted[i], `${path}/${i}`));
  if (!isPlain(found) || !isPlain(wanted)) return [{ path, found, wanted }];
  const names = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...names].flatMap((name) => differing(found[name], wanted[name], `${path}/${escaped(name)}`));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Escapes a name for a JSON pointer (RFC 6901). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
