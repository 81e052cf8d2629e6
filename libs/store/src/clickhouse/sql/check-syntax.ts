import { SqlRefusedError } from '../../sql-queries.js';
import { isRefusedFunction } from './refused-functions.js';
import { below, isWhole, nameOf, syntaxNodes, type SyntaxNode } from './syntax-tree.js';

/** What a statement may name. */
export interface Published {
  /** The session is in it: a name without a database is one of its views, or one that the statement itself defines. */
  database: string;
  /** Those of the key. */
  views: readonly string[];
  /** Those of all keys. */
  allViews: readonly string[];
}

/** Tables of ClickHouse itself that clients read to learn what there is. Those that tell of tables are filtered. */
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

/** Nodes of a SELECT. What is not among them is refused: a node that a later ClickHouse has, too. */
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
 * Statements that list what there is, by their node, as ClickHouse writes them. The tree does not show what their WHERE and
 * LIMIT have, and other statements have the same node: nothing may follow.
 */
const listings: Readonly<Record<string, RegExp>> = {
  ShowTables: new RegExp(`^SHOW ((FULL )?TABLES( FROM ${name})?|DATABASES)${like}$`),
  ShowColumns: new RegExp(`^SHOW (EXTENDED )?(FULL )?COLUMNS FROM ${name}( FROM ${name})?${like}$`),
};

/** Functions whose second argument may be the name of a table. */
const membership = /^(global)?(not)?(null)?in(ignoreset)?$/i;

/**
 * Refuses a statement that does anything but read published views, by the syntax tree that ClickHouse made of it.
 * @throws SqlRefusedError with the name of what is not allowed
 */
export function checkSyntax(explained: string, text: string, published: Published): void {
  const nodes = syntaxNodes(explained);
  if (!isWhole(nodes)) throw new SqlRefusedError('A statement whose syntax tree is not clear is not allowed');
  const [root, ...rest] = nodes;
  const listing = root && listings[root.kind];
  if (listing?.test(text)) return checkLeaves(rest);
  if (listing) throw new SqlRefusedError('SHOW takes FROM and LIKE, and nothing else');
  const described = root?.kind === 'DescribeQuery';
  if (!described && root?.kind !== 'SelectWithUnionQuery')
    throw new SqlRefusedError('Only SELECT, DESCRIBE and SHOW TABLES, DATABASES or COLUMNS are allowed');
  checkClauses(nodes, described ? 'TableExpression' : 'ExpressionList');
  for (const [index, node] of nodes.entries()) {
    if (index === 0 && described) continue;
    if (!selectNodes.has(node.kind)) throw refusedNode(node);
    if (node.kind === 'TableIdentifier') checkTable(nameOf(node), published, described);
    if (node.kind === 'TableExpression') checkTableFunction(nodes, index);
    if (node.kind === 'Function') checkFunction(nodes, index, published);
  }
}

/** What belongs to the whole statement: INTO OUTFILE, FORMAT, SETTINGS stand beside its SELECTs. */
function checkClauses(nodes: readonly SyntaxNode[], expected: string): void {
  const odd = nodes.find(({ depth, kind }, index) => index > 0 && depth <= 1 && kind !== expected);
  if (odd) throw refusedNode(odd);
}

function checkLeaves(nodes: readonly SyntaxNode[]): void {
  const odd = nodes.find(({ kind }) => kind !== 'Identifier');
  if (odd) throw refusedNode(odd);
}

/** @param mustExist the statement cannot define it itself */
function checkTable(name: string, { database, views, allViews }: Published, mustExist = false): void {
  const isDotted = name.includes('.');
  const own = isDotted && name.startsWith(`${database}.`) ? name.slice(database.length + 1) : name;
  if (views.includes(own) || readableSystemTables.has(name.toLowerCase())) return;
  // Without a database it is what the statement itself defines, or nothing.
  if (isDotted || mustExist || allViews.includes(name))
    throw new SqlRefusedError(`There is no table ${name} to read`);
}

function checkTableFunction(nodes: readonly SyntaxNode[], index: number): void {
  const top = nodes[index]!.depth + 1;
  for (const node of below(nodes, index)) {
    if (node.depth === top && node.kind === 'Function')
      throw new SqlRefusedError(`The table function ${nameOf(node)} is not allowed`);
  }
}

function checkFunction(nodes: readonly SyntaxNode[], index: number, published: Published): void {
  const name = nameOf(nodes[index]!);
  if (isRefusedFunction(name)) throw new SqlRefusedError(`The function ${name} is not allowed`);
  if (!membership.test(name)) return;
  const top = nodes[index]!.depth + 2;
  const [, ...others] = [...below(nodes, index)].filter(({ depth }) => depth === top);
  for (const other of others) if (other.kind === 'Identifier') checkTable(nameOf(other), published);
}

function refusedNode({ kind, label }: SyntaxNode): SqlRefusedError {
  const names: Record<string, string> = {
    Set: 'A SETTINGS clause',
    ColumnsApplyTransformer: 'APPLY',
    Identifier: `FORMAT ${label}`,
    Literal: 'INTO OUTFILE',
  };
  return new SqlRefusedError(`${names[kind] ?? kind} is not allowed`);
}
