import { SqlRejectedError } from '../../analyst-sql.js';
import { descendantsOf, nodeName, type ExplainAstNode } from './syntax-tree.js';

/**
 * Functions, in lower case, that compare each element of one array with each element of another. Two arrays of a million
 * elements take a quarter of an hour, during which ClickHouse neither checks the time limit nor can cancel them.
 */
const pairwise = new Set(['hasall', 'hasany', 'hassubstr']);

/** The functions of which a constant array consists: `['a', 'b']`, and a parameter of the request. */
const constant = new Set(['array', 'tuple', '_cast']);

/**
 * Rejects a call of a function that compares two arrays pairwise, unless the statement contains one of the arrays
 * itself: the size of a statement limits that array.
 * @param index the position of a function call among the nodes
 * @throws SqlRejectedError with the name of the function
 */
export function checkPairwiseFunction(nodes: readonly ExplainAstNode[], index: number): void {
  const name = nodeName(nodes[index]!);
  if (!pairwise.has(name.toLowerCase())) return;
  const { depth } = nodes[index]!;
  const below = [...descendantsOf(nodes, index)];
  const isConstant = below.some((node, at) => node.depth === depth + 2 && isConstantArray(below, at));
  if (isConstant) return;
  throw new SqlRejectedError(
    `The function ${name} of two computed arrays is not allowed; write one of them as literals: ${name}(x, ['a', 'b'])`,
  );
}

function isConstantArray(nodes: readonly ExplainAstNode[], at: number): boolean {
  return [nodes[at]!, ...descendantsOf(nodes, at)].every(
    (node) =>
      node.kind === 'Literal' ||
      node.kind === 'ExpressionList' ||
      (node.kind === 'Function' && constant.has(nodeName(node).toLowerCase())),
  );
}
