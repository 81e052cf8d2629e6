import type { ExpressionTree } from './expression-tree.js';
import type { CelValue } from './values.js';

/** A variable that a sub-expression can use, such as `event` or that of a macro, with its value. */
export interface VariableInScope {
  name: string;
  value: CelValue;
  outer?: VariableInScope;
}

/** A compiled expression. @throws EvaluationError if it has no value */
export type CompiledExpression = (scope: VariableInScope) => CelValue;
/** Compiles a sub-expression in which the named variables are in scope. */
export type CompileExpression = (expression: ExpressionTree, names: readonly string[]) => CompiledExpression;
