import type { SchemaObject } from '../../document/schema.js';
import { ExactNumber } from '../../values/decimal.js';
import type { MeteredPattern } from '../pattern-check.js';
import type { ValueCheck } from '../validation-context.js';

export type { ValueCheck } from '../validation-context.js';

/** A schema whose keywords are compiled to checks, with access to the checks of its subschemas. */
export interface CompilableSchema {
  readonly schema: SchemaObject;
  /** Returns the check of the schema in a keyword, or of one of several schemas in it. */
  readonly inner: (keyword: string, part?: string | number) => ValueCheck;
  readonly pattern: (source: string) => MeteredPattern;
}

/**
 * Combines checks: a value must fit all of them. It continues after the first error if the run collects
 * further errors.
 */
export function allOfChecks<T>(checks: readonly ValueCheck<T>[]): ValueCheck<T> {
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
export type JsonKind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function jsonKindOf(value: unknown): JsonKind {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number' || value instanceof ExactNumber) return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : 'object';
}
