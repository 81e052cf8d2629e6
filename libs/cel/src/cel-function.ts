import type { Value } from './values.js';

/**
 * A function of the expression language; for a method, the object is the first argument. `at` is the position of the
 * call.
 */
export type CelFunction = (args: readonly Value[], at: number) => Value;
