import type { SchemaObject } from '../../document/schema.js';
import { ExactNumber } from '../../values/decimal.js';
import type { MeteredPattern } from '../pattern-check.js';
import type { ValueCheck } from '../validation-context.js';

export type { ValueCheck } from '../validation-context.js';

/**
 * What is needed to compile the keywords of one schema to checks: the schema, the checks of its subschemas, and its
 * regular expressions.
 */
export interface CompilableSchema {
  readonly schema: SchemaObject;
  /** Returns the check of the schema in a keyword, or of one of several schemas in it. */
  readonly inner: (keyword: string, part?: string | number) => ValueCheck;
  readonly pattern: (source: string) => MeteredPattern;
}

/**
 * Combines checks into one that a value passes only if it passes all of them. After a failed check it runs the others
 * only if the validation collects several errors.
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

/** A kind of JSON value, as the name of a type in JSON Schema; an integer is a number. */
export type JsonKind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function jsonKindOf(value: unknown): JsonKind {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number' || value instanceof ExactNumber) return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : 'object';
}
