import { SqlRejectedError } from './analyst-sql.js';
import { argumentsOf, type SyntaxNode } from './syntax-tree.js';

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
 * @throws SqlRejectedError with the name of the function
 */
export function checkPairwiseFunction(call: SyntaxNode): void {
  const { name } = call;
  if (!pairwise.has(name.toLowerCase()) || argumentsOf(call).some(isConstantArray)) return;
  throw new SqlRejectedError(
    `The function ${name} of two computed arrays is not allowed; write one of them as literals: ${name}(x, ['a', 'b'])`,
  );
}

function isConstantArray(node: SyntaxNode): boolean {
  if (node.kind === 'Literal') return true;
  return (
    node.kind === 'Function' &&
    constant.has(node.name.toLowerCase()) &&
    argumentsOf(node).every(isConstantArray)
  );
}
