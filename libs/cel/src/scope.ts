import type { Expression } from './expression.js';
import type { Value } from './values.js';

/** A variable in scope, linked to the next outer one. */
export interface Scope {
  name: string;
  value: Value;
  outer?: Scope;
}

export type Compiled = (scope: Scope) => Value;
/** Compiles a sub-expression in which the named variables are in scope. */
export type Compile = (expression: Expression, names: readonly string[]) => Compiled;
