import type { CelObject, CelValue } from './values.js';

/** An object whose members are properties that are undefined until `read` computes them, such as from JSON text. */
export abstract class LazyObject {
  /** Computes a member whose property is undefined, stores it in the property, and returns it. */
  abstract read(name: string): CelValue;
}

/** Returns a member that the object has; a member of a LazyObject is computed here on first use. */
export function memberValue(of: CelObject, name: string): CelValue {
  const value = of[name];
  // JSON has no undefined: only a member that is not computed yet is undefined.
  return value === undefined && of instanceof LazyObject ? of.read(name) : (value as CelValue);
}
