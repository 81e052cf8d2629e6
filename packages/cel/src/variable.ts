import type { KindSet } from './kinds.js';

/** The variable that expressions read, such as `order`: an object with known members. */
export interface Variable {
  readonly name: string;
  /** The members of its value, with the kinds of values that each may have. The members of a member are not declared. */
  readonly members: Readonly<Record<string, KindSet>>;
  /** The member in which an unknown name probably is, such as `data`, for a suggestion in the error. */
  readonly likelyMember?: string;
  /** Returns the error for a name that is not a member. By default, the error lists the members. */
  readonly describeMissing?: (name: string) => string;
}

/** Returns the error for a name that is not a member of the variable. */
export function missingMember({ name, members, describeMissing }: Variable, missing: string): string {
  if (describeMissing) return describeMissing(missing);
  return `There is no member ${missing} in ${name}. Its members are ${Object.keys(members).join(', ')}.`;
}

/** Returns how the error for an unknown variable writes the name as a member of the variable. */
export function likelyPath({ name, members, likelyMember }: Variable, unknown: string): string {
  return Object.hasOwn(members, unknown) || likelyMember === undefined
    ? `${name}.${unknown}`
    : `${name}.${likelyMember}.${unknown}`;
}
