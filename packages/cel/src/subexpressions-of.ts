import type { ExpressionTree } from './expression-tree.js';

/** Returns the direct sub-expressions of an expression. */
export function subexpressionsOf(expression: ExpressionTree): readonly ExpressionTree[] {
  switch (expression.kind) {
    case 'literal':
    case 'variable':
      return [];
    case 'list':
      return expression.items;
    case 'map':
      return expression.entries.flat();
    case 'member':
      return [expression.object];
    case 'index':
      return [expression.object, expression.index];
    case 'unary':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    case 'conditional':
      return [expression.test, expression.then, expression.else];
    case 'call':
      return [...(expression.object ? [expression.object] : []), ...expression.args];
  }
}
