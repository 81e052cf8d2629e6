import type { CelValue } from './values.js';

/**
 * The implementation of a CEL function or method; the object of a method is the first argument. `at` is the position of
 * the call in the text of the expression.
 */
export type CelFunction = (args: readonly CelValue[], at: number) => CelValue;
