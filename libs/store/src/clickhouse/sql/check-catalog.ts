import { SqlRejectedError } from '../../analyst-sql.js';
import { descendantsOf, nodeName, type ExplainAstNode } from './syntax-tree.js';
import { isTotalFunction } from './total-functions.js';

/** The readable system tables that also have rows about tables that an API key may not see. */
const catalogTables = /^(system\.(tables|columns|databases)|information_schema\..*)$/i;

/** The kinds of nodes that depend on the row. */
const columnNodes = new Set([
  ...['Identifier', 'Asterisk', 'QualifiedAsterisk', 'ColumnsRegexpMatcher', 'ColumnsListMatcher'],
  ...['QualifiedColumnsRegexpMatcher', 'QualifiedColumnsListMatcher'],
]);

/** The second argument of these functions is a pattern, and a malformed pattern is an error. */
const patterns = /^(not)?i?like$/i;

/** The kinds of nodes that make a statement more than one plain SELECT. */
const nested = new Set(['Subquery', 'WithElement', 'SelectIntersectExceptQuery']);

/**
 * Rejects a SELECT from ClickHouse's tables of tables and columns that could fail because of a row that the API key may
 * not see. ClickHouse evaluates conditions on all rows of these tables, before it applies the filter of the key. So
 * conditions may call only functions that cannot fail. The columns of a plain SELECT may call any function, as its
 * conditions do not use them: JDBC converts types there.
 * @throws SqlRejectedError with the name of the function
 */
export function checkCatalog(nodes: readonly ExplainAstNode[]): void {
  const catalog = nodes.find(({ kind, label }) => kind === 'TableIdentifier' && isCatalog(label));
  if (!catalog) return;
  const late = lateNodes(nodes);
  const risky = nodes.filter((node, index) => mayFail(nodes, index) && !late.has(node));
  const partial = nodes.filter((node, index) => late.has(node) && mayFail(nodes, index));
  const reused = partial.length > 0 && conditionsUse(nodes, late);
  const refused = risky[0] ?? (reused ? partial[0] : undefined);
  if (!refused) return;
  throw new SqlRejectedError(
    `In a condition on ${nodeName(catalog)}, the function ${nodeName(refused)} of a column is not allowed`,
  );
}

function isCatalog(label: string): boolean {
  return catalogTables.test(nodeName({ depth: 0, kind: 'TableIdentifier', label }));
}

/** Whether the node calls a function with a column, and the call may fail for some values of the column. */
function mayFail(nodes: readonly ExplainAstNode[], index: number): boolean {
  const node = nodes[index]!;
  if (node.kind !== 'Function') return false;
  const name = nodeName(node);
  const below = [...descendantsOf(nodes, index)];
  const second = below.filter(({ depth }) => depth === node.depth + 2)[1];
  const isTotal = isTotalFunction(name) && (!patterns.test(name) || second?.kind === 'Literal');
  return !isTotal && below.some(({ kind }) => columnNodes.has(kind));
}

/**
 * Returns the nodes that ClickHouse evaluates after the conditions, on the rows that are left: the SELECT list, ARRAY
 * JOIN and ORDER BY of a statement that is one plain SELECT.
 */
function lateNodes(nodes: readonly ExplainAstNode[]): Set<ExplainAstNode> {
  const selects = nodes.filter(({ kind }) => kind === 'SelectQuery');
  if (selects.length !== 1 || nodes.some(({ kind }) => nested.has(kind))) return new Set();
  const [select] = selects;
  const from = nodes.findIndex(({ kind }) => kind === 'TablesInSelectQuery');
  const lists = nodes.flatMap(({ kind, depth }, index) =>
    index < from && kind === 'ExpressionList' && depth === select!.depth + 1 ? [index] : [],
  );
  const others = nodes.flatMap(({ kind }, index) =>
    kind === 'ArrayJoin' || kind === 'OrderByElement' ? [index] : [],
  );
  // A second list is that of WITH.
  if (lists.length !== 1) return new Set();
  return new Set([...lists, ...others].flatMap((index) => [...descendantsOf(nodes, index)]));
}

/** Whether the other nodes use a name that these nodes define. */
function conditionsUse(nodes: readonly ExplainAstNode[], late: ReadonlySet<ExplainAstNode>): boolean {
  const defined = new Set([...late].flatMap(({ label }) => aliasOf(label) ?? []));
  return nodes.some((node) => {
    if (late.has(node) || !columnNodes.has(node.kind)) return false;
    if (node.kind !== 'Identifier') return true;
    return nodeName(node)
      .split('.')
      .some((part) => defined.has(part));
  });
}

function aliasOf(label: string): string | undefined {
  return / \(alias (.*?)\)(?: \(children \d+\))?$/.exec(label)?.[1];
}
