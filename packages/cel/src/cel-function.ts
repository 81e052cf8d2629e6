import type { CelValue } from './values.js';

/** A CEL function or method; a method's object is the first argument. `at` is the call's position in the text. */
export type CelFunction = (args: readonly CelValue[], at: number) => CelValue;
