import type { SchemaObject } from '../../document/schema.js';
import { ExactNumber } from '../../values/decimal.js';
import type { ChargedPattern } from '../pattern-check.js';
import type { Check } from '../run.js';

export type { Check } from '../run.js';

/** A schema whose keywords are compiled to checks, with access to the checks of its subschemas. */
export interface SchemaAt {
  readonly schema: SchemaObject;
  /** Returns the check of the schema in a keyword, or of one of several schemas in it. */
  readonly inner: (keyword: string, part?: string | number) => Check;
  readonly pattern: (source: string) => ChargedPattern;
}

/**
 * Combines checks: a value must fit all of them. It continues after the first error if the run collects
 * further errors.
 */
export function all<T>(checks: readonly Check<T>[]): Check<T> {
  const [only] = checks;
  if (only && checks.length === 1) return only;
  return (value, run) => {
    let fits = true;
    for (const check of checks) {
      if (check(value, run)) continue;
      if (!run.goesOn) return false;
      fits = false;
    }
    return fits;
  };
}

/** The kinds of JSON values. */
export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function kindOf(value: unknown): Kind {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number' || value instanceof ExactNumber) return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : 'object';
}
