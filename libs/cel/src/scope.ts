import type { Expression } from './expression.js';
import type { Value } from './values.js';

/** A variable in scope, linked to the next outer one. */
export interface VariableScope {
  name: string;
  value: Value;
  outer?: VariableScope;
}

export type CompiledExpression = (scope: VariableScope) => Value;
/** Compiles a sub-expression in which the named variables are in scope. */
export type CompileExpression = (expression: Expression, names: readonly string[]) => CompiledExpression;
