import { subexpressionsOf, type ExpressionTree } from './expression-tree.js';

/**
 * Returns the paths of the members of `variable` that an expression reads, such as `['data', 'amount']` for
 * `event.data.amount`, each once and in the order of the text. A path ends before an index that is not a text. A member
 * that the expression tests with `has` is missing in the result, because the author expects events without it.
 */
export function memberPathsOf(expression: ExpressionTree, variable: string): string[][] {
  const read = new Map<string, string[]>();
  const tested = new Set<string>();
  const visit = (part: ExpressionTree, isTested: boolean): void => {
    const path = pathOf(part, variable);
    if (path && isTested) tested.add(JSON.stringify(path));
    else if (path) read.set(JSON.stringify(path), path);
    else {
      const isTest = part.kind === 'call' && part.name === 'has';
      for (const inner of subexpressionsOf(part)) visit(inner, isTest);
    }
  };
  visit(expression, false);
  return [...read].filter(([path]) => !tested.has(path)).map(([, path]) => path);
}

function pathOf(expression: ExpressionTree, variable: string): string[] | undefined {
  if (expression.kind === 'variable') return expression.name === variable ? [] : undefined;
  if (expression.kind !== 'member' && expression.kind !== 'index') return undefined;
  const parent = pathOf(expression.object, variable);
  if (expression.kind === 'member') return parent && [...parent, expression.name];
  const { index } = expression;
  return index.kind === 'literal' && typeof index.value === 'string'
    ? parent && [...parent, index.value]
    : undefined;
}
