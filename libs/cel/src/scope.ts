import type { Expression } from './expression.js';
import type { Value } from './values.js';

/** Variables in force: the innermost first. */
export interface Scope {
  name: string;
  value: Value;
  outer?: Scope;
}

export type Compiled = (scope: Scope) => Value;
/** Compiles a part in which the named variables are known. */
export type Compile = (expression: Expression, names: readonly string[]) => Compiled;
