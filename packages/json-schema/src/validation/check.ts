import type { SchemaObject } from '../document/schema.js';
import { ExactNumber } from '../values/decimal.js';
import type { ValueCheck } from './validation-context.js';
import type { StepMeter } from '../values/step-meter.js';
import { compilePattern } from '../values/pattern.js';

/** One schema to compile to checks, with the checks of its subschemas and its regular expressions. */
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

/** Tests whether a regular expression matches anywhere in a text, and charges the work to the meter. */
export type MeteredPattern = (text: string, meter: StepMeter) => boolean;

/**
 * Number of instructions up to which RE2 quickly caches all states of a pattern; a search then takes about 10 ns for
 * each character of any text, and is not charged.
 */
const fewInstructions = 12;

/** Compiles a regular expression of a schema to a function that charges the work of each search to a meter. */
export function meteredPattern(source: string): MeteredPattern {
  const pattern = compilePattern(source);
  const searching = pattern.instructions > fewInstructions ? pattern.instructions : 0;
  return (text, meter) => {
    meter.charge(8 + text.length);
    meter.chargeSearch(text.length * searching);
    return pattern.test(text);
  };
}
