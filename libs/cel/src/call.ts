import type { Value } from './values.js';

/** A function of an expression; a method's object is its first argument. `at` is the place of the call. */
export type Call = (args: readonly Value[], at: number) => Value;
