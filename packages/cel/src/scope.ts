import type { ExpressionTree } from './expression-tree.js';
import type { CelValue } from './values.js';

/**
 * A variable that a CEL sub-expression can use, such as `event` or that of a macro, with its value and the next outer
 * variable.
 */
export interface VariableInScope {
  name: string;
  value: CelValue;
  outer?: VariableInScope;
}

/**
 * A compiled CEL expression: returns its value for the values of the variables. @throws EvaluationError if it has none
 */
export type CompiledExpression = (scope: VariableInScope) => CelValue;
/** Compiles a sub-expression in which the named variables are in scope. */
export type CompileExpression = (expression: ExpressionTree, names: readonly string[]) => CompiledExpression;
