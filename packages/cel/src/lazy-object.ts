import type { CelObject, CelValue } from './values.js';

/**
 * An object of which some members are computed on first use, such as parsed from JSON text. Each member is a property of
 * the subclass; its value is undefined until `read` has computed and stored it.
 */
export abstract class LazyObject {
  /** Computes a member whose property is undefined, stores it in the property, and returns it. */
  abstract read(name: string): CelValue;
}

/**
 * Returns the value of one member of a CEL object. The caller has checked that the object has it; a member of a
 * LazyObject is computed here on first use.
 */
export function memberValue(of: CelObject, name: string): CelValue {
  const value = of[name];
  // JSON has no undefined: only a member that is not computed yet is undefined.
  return value === undefined && of instanceof LazyObject ? of.read(name) : (value as CelValue);
}
