import { SqlRejectedError } from '../../analyst-sql.js';
import { isForbiddenFunction } from './forbidden-functions.js';
import { checkCatalog } from './check-catalog.js';
import { checkPairwiseFunction } from './check-pairwise-functions.js';
import {
  descendantsOf,
  isConsistentTree,
  nodeName,
  syntaxNodes,
  type ExplainAstNode,
} from './syntax-tree.js';

/** The views that an analyst's SQL statement may name, and the database that unqualified names belong to. */
interface PermittedViews {
  /**
   * The session's database: a name without a database is one of its views, or is defined by the statement
   * itself.
   */
  database: string;
  /** Names of the SQL views that the API key may read. */
  views: readonly string[];
  /** All published views, also those that the API key may not read. */
  allViews: readonly string[];
}

/**
 * ClickHouse's own tables that clients read to discover the schema. `rowFilters` hides the rows about other
 * tables.
 */
const readableSystemTables = new Set([
  ...[
    'system.tables',
    'system.columns',
    'system.databases',
    'system.settings',
    'system.functions',
    'system.one',
  ],
  ...['system.data_type_families', 'system.formats', 'system.time_zones', 'system.table_engines'],
  ...['information_schema.tables', 'information_schema.columns', 'information_schema.schemata'],
]);

/**
 * The kinds of nodes that the syntax tree of a SELECT may contain. Any other kind is rejected, including kinds that a
 * later ClickHouse adds.
 */
const selectNodes = new Set([
  ...['SelectWithUnionQuery', 'SelectIntersectExceptQuery', 'SelectQuery', 'Subquery', 'WithElement'],
  ...['ExpressionList', 'Function', 'Identifier', 'Literal', 'Asterisk', 'QualifiedAsterisk'],
  ...[
    'ColumnsRegexpMatcher',
    'QualifiedColumnsRegexpMatcher',
    'ColumnsListMatcher',
    'QualifiedColumnsListMatcher',
  ],
  ...['ColumnsTransformerList', 'ColumnsExceptTransformer', 'ColumnsReplaceTransformer'],
  'ColumnsReplaceTransformer::Replacement',
  ...['TablesInSelectQuery', 'TablesInSelectQueryElement', 'TableExpression', 'TableIdentifier', 'TableJoin'],
  ...[
    'ArrayJoin',
    'SampleRatio',
    'OrderByElement',
    'InterpolateElement',
    'WindowDefinition',
    'WindowListElement',
  ],
  'StorageOrderByElement',
]);

const name = '(\\w+|`([^`\\\\]|\\\\.)*`)';
const like = `( (NOT )?I?LIKE '([^'\\\\]|\\\\.)*')?`;

/**
 * Statements that list databases, tables or columns, by the kind of their root node. The syntax tree does not
 * show their WHERE and LIMIT, and other statements have the same kind of node. So the formatted text must
 * match exactly.
 */
const showStatements: Readonly<Record<string, RegExp>> = {
  ShowTables: new RegExp(`^SHOW ((FULL )?TABLES( FROM ${name})?|DATABASES)${like}$`),
  ShowColumns: new RegExp(`^SHOW (EXTENDED )?(FULL )?COLUMNS FROM ${name}( FROM ${name})?${like}$`),
};

/**
 * Statements that ask whether a table or view exists; SQLAlchemy sends them. As with SHOW, the formatted text must match
 * exactly. The name is checked like the name of a described table.
 */
const existsStatement = new RegExp(`^EXISTS (TABLE|VIEW) ${name}(\\.${name})?$`);
const existsKinds = new Set(['ExistsTableQuery', 'ExistsViewQuery']);

/** Matches the `IN` functions of ClickHouse in all variants; their second argument may be a table name. */
const membership = /^(global)?(not)?(null)?in(ignoreset)?$/i;

/**
 * Rejects an SQL statement, based on its syntax tree from ClickHouse, unless it only reads published views and
 * permitted system tables, describes a table or asks for it, or lists databases, tables or columns.
 * @throws SqlRejectedError with the name of the construct that is not allowed
 */
export function checkSyntax(explained: string, text: string, published: PermittedViews): void {
  const nodes = syntaxNodes(explained);
  if (!isConsistentTree(nodes))
    throw new SqlRejectedError('A statement with an ambiguous syntax tree is not allowed');
  const [root, ...rest] = nodes;
  const listing = root && showStatements[root.kind];
  if (listing?.test(text)) return checkLeaves(rest);
  if (listing) throw new SqlRejectedError('SHOW takes FROM and LIKE, and nothing else');
  if (root && existsKinds.has(root.kind)) return checkExists(rest, text, published);
  const described = root?.kind === 'DescribeQuery';
  if (!described && root?.kind !== 'SelectWithUnionQuery')
    throw new SqlRejectedError(
      'Only SELECT, DESCRIBE, EXISTS and SHOW TABLES, DATABASES or COLUMNS are allowed',
    );
  checkClauses(nodes, described ? 'TableExpression' : 'ExpressionList');
  for (const [index, node] of nodes.entries()) {
    if (index === 0 && described) continue;
    if (!selectNodes.has(node.kind)) throw refusedNode(node);
    if (node.kind === 'TableIdentifier') checkTable(nodeName(node), published, described);
    if (node.kind === 'TableExpression') checkTableFunction(nodes, index);
    if (node.kind === 'Function') checkFunction(nodes, index, published);
  }
  checkCatalog(nodes);
}

/**
 * Rejects clauses of the whole statement, whose nodes are siblings of its SELECTs: INTO OUTFILE, FORMAT,
 * SETTINGS.
 */
function checkClauses(nodes: readonly ExplainAstNode[], expected: string): void {
  const odd = nodes.find(({ depth, kind }, index) => index > 0 && depth <= 1 && kind !== expected);
  if (odd) throw refusedNode(odd);
}

/** Rejects the question for a table that the API key may not read, so that the answer does not show whether it exists. */
function checkExists(nodes: readonly ExplainAstNode[], text: string, published: PermittedViews): void {
  if (!existsStatement.test(text))
    throw new SqlRejectedError('EXISTS takes TABLE or VIEW and a name, and nothing else');
  checkLeaves(nodes);
  checkTable(nodes.map(nodeName).join('.'), published, true);
}

function checkLeaves(nodes: readonly ExplainAstNode[]): void {
  const odd = nodes.find(({ kind }) => kind !== 'Identifier');
  if (odd) throw refusedNode(odd);
}

/** @param mustExist True if the statement cannot define the name itself. */
function checkTable(name: string, { database, views, allViews }: PermittedViews, mustExist = false): void {
  const isDotted = name.includes('.');
  const own = isDotted && name.startsWith(`${database}.`) ? name.slice(database.length + 1) : name;
  if (views.includes(own) || readableSystemTables.has(name.toLowerCase())) return;
  // A name without a database is one that the statement defines, or does not exist.
  if (isDotted || mustExist || allViews.includes(name))
    throw new SqlRejectedError(`There is no table ${name} to read; SHOW TABLES lists the tables`);
}

function checkTableFunction(nodes: readonly ExplainAstNode[], index: number): void {
  const top = nodes[index]!.depth + 1;
  for (const node of descendantsOf(nodes, index)) {
    if (node.depth === top && node.kind === 'Function')
      throw new SqlRejectedError(`The table function ${nodeName(node)} is not allowed`);
  }
}

function checkFunction(nodes: readonly ExplainAstNode[], index: number, published: PermittedViews): void {
  const name = nodeName(nodes[index]!);
  if (isForbiddenFunction(name)) throw new SqlRejectedError(`The function ${name} is not allowed`);
  checkPairwiseFunction(nodes, index);
  if (!membership.test(name)) return;
  const top = nodes[index]!.depth + 2;
  const [, ...others] = [...descendantsOf(nodes, index)].filter(({ depth }) => depth === top);
  for (const other of others) if (other.kind === 'Identifier') checkTable(nodeName(other), published);
}

function refusedNode({ kind, label }: ExplainAstNode): SqlRejectedError {
  const names: Record<string, string> = {
    Set: 'A SETTINGS clause',
    ColumnsApplyTransformer: 'APPLY',
    Identifier: `FORMAT ${label}`,
    Literal: 'INTO OUTFILE',
  };
  return new SqlRejectedError(`${names[kind] ?? kind} is not allowed`);
}
