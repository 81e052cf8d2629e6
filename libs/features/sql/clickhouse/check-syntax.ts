import { SqlRejectedError } from './analyst-sql.js';
import { isHigherOrderFunction, isPermittedFunction } from './permitted-functions.js';
import { checkCatalog } from './check-catalog.js';
import { checkPairwiseFunction } from './check-pairwise-functions.js';
import { argumentsOf, type SyntaxNode } from './syntax-tree.js';

/** The views that an analyst's SQL statement may name, and the database that unqualified names belong to. */
interface PermittedViews {
  /** The session's database: a name without a database is one of its views, or is defined by the statement itself. */
  database: string;
  /** Names of the SQL views that the API key may read. */
  views: readonly string[];
}

/**
 * ClickHouse's own tables that clients read to discover the schema. `rowFilters` hides the rows about other tables.
 */
const readableSystemTables = new Set([
  ...['system.tables', 'system.columns', 'system.databases', 'system.settings', 'system.functions'],
  ...[
    'system.one',
    'system.data_type_families',
    'system.formats',
    'system.time_zones',
    'system.table_engines',
  ],
  ...['information_schema.tables', 'information_schema.columns', 'information_schema.schemata'],
]);

/**
 * The kinds of nodes that the syntax tree of a SELECT may contain. Any other kind is rejected, including kinds that a
 * later ClickHouse adds.
 */
const selectNodes = new Set([
  ...['SelectWithUnionQuery', 'SelectIntersectExceptQuery', 'SelectQuery', 'Subquery', 'WithElement'],
  ...['ExpressionList', 'Function', 'Identifier', 'Literal', 'Asterisk', 'QualifiedAsterisk'],
  ...['ColumnsRegexpMatcher', 'QualifiedColumnsRegexpMatcher', 'ColumnsListMatcher'],
  ...['QualifiedColumnsListMatcher', 'ColumnsTransformerList'],
  ...['ColumnsExceptTransformer', 'ColumnsReplaceTransformer'],
  'ColumnsReplaceTransformer::Replacement',
  ...['TablesInSelectQuery', 'TablesInSelectQueryElement', 'TableExpression', 'TableIdentifier', 'TableJoin'],
  ...['ArrayJoin', 'SampleRatio', 'OrderByElement', 'InterpolateElement', 'WindowDefinition'],
  ...['WindowListElement', 'StorageOrderByElement'],
]);

const name = '(\\w+|`([^`\\\\]|\\\\.)*`)';
const like = `( (NOT )?I?LIKE '([^'\\\\]|\\\\.)*')?`;

/**
 * Statements that list databases, tables or columns, by the kind of their root node. The syntax tree does not show
 * their WHERE and LIMIT, and other statements have the same kind of node. So the formatted text must match exactly.
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
 * Matches names that a view of an event type or a projection may have. A statement may not define a table of such a
 * name, and a name of this form gets the same answer whether the view exists or not.
 */
const viewName = /^[a-z0-9]\w*__|^(t_)?projection_|^t_\w{120}_[0-9a-f]{12}$/i;

/** The functions whose first argument is the text of an aggregate function. */
const takesAggregate = /^(arrayreduce|arrayreduceinranges|initializeaggregation)$/i;

/** Matches the aggregate functions in the text of a type: `AggregateFunction(1, sumIf, UInt8)`. */
const aggregateTypes = /AggregateFunction\s*\(\s*(?:\d+\s*,\s*)?([^\s(),]*)/gi;

/** Longest name of a function that is looked up. ClickHouse's own longest name has 45 characters. */
const mostNameCharacters = 200;

/**
 * Rejects an SQL statement, based on its syntax tree from ClickHouse, unless it only reads published views and
 * permitted system tables, describes a table or asks for it, or lists databases, tables or columns.
 * @returns names of functions that it calls and that are not permitted: ClickHouse must have no function of these names,
 * so that they are lambdas that the statement defines
 * @throws SqlRejectedError with the name of the construct that is not allowed
 */
export function checkSyntax(nodes: readonly SyntaxNode[], text: string, published: PermittedViews): string[] {
  const [root, ...rest] = nodes as [SyntaxNode, ...SyntaxNode[]];
  const listing = showStatements[root.kind];
  if (listing?.test(text)) return checkLeaves(rest);
  if (listing) throw new SqlRejectedError('SHOW takes FROM and LIKE, and nothing else');
  if (existsKinds.has(root.kind)) return checkExists(rest, text, published);
  const described = root.kind === 'DescribeQuery';
  if (!described && root.kind !== 'SelectWithUnionQuery') throw onlyReads();
  // Nodes of clauses of the whole statement are siblings of its SELECTs: INTO OUTFILE, FORMAT, SETTINGS.
  const clause = root.children.find(
    ({ kind }) => kind !== (described ? 'TableExpression' : 'ExpressionList'),
  );
  if (clause) throw rejectedNode(clause);
  const tables = new TableChecker(nodes, published);
  for (const node of described ? rest : nodes) {
    if (!selectNodes.has(node.kind)) throw rejectedNode(node);
    if (node.kind === 'TableIdentifier') tables.check(node.name, described);
    if (node.kind === 'TableExpression') checkTableFunction(node);
    if (node.kind === 'Literal')
      for (const [, name] of node.name.matchAll(aggregateTypes)) requireAggregate(name!);
    if (node.kind !== 'Function') continue;
    if (takesAggregate.test(node.name)) requireAggregateText(argumentsOf(node)[0]);
    checkPairwiseFunction(node);
    if (membership.test(node.name)) tables.checkMembership(node);
  }
  checkCatalog(nodes);
  return [...new Set(nodes.flatMap(calledFunctions))].filter((name) => !isPermittedFunction(name));
}

/** Returns the error for a statement that may do something else than read. */
export function onlyReads(): SqlRejectedError {
  return new SqlRejectedError(
    'Only SELECT, DESCRIBE, EXISTS and SHOW TABLES, DATABASES or COLUMNS are allowed',
  );
}

/**
 * Returns the names of the functions that a node calls: its own, and the identifier that a higher-order function may take
 * for the name of one.
 */
function calledFunctions(node: SyntaxNode): string[] {
  if (node.kind !== 'Function') return [];
  const [first] = argumentsOf(node);
  const isName = first?.kind === 'Identifier' && isHigherOrderFunction(node.name);
  const names = isName ? [node.name, first.name] : [node.name];
  if (names.some(({ length }) => length > mostNameCharacters))
    throw new SqlRejectedError(`A name of a function has at most ${mostNameCharacters} characters`);
  return names;
}

/** Requires a text literal with the name of an aggregate function that analysts may call. */
function requireAggregateText(node: SyntaxNode | undefined): void {
  const name = node?.kind === 'Literal' ? /^'\s*(\w+)/.exec(node.name)?.[1] : undefined;
  if (name === undefined)
    throw new SqlRejectedError(
      'The name of an aggregate function must be written as a text in the statement',
    );
  requireAggregate(name);
}

function requireAggregate(name: string): void {
  if (name.length > mostNameCharacters || !isPermittedFunction(name))
    throw new SqlRejectedError(`The aggregate function ${name.slice(0, 50)} is not allowed`);
}

/** Rejects the question for a table that the API key may not read, so that the answer does not show whether it exists. */
function checkExists(nodes: readonly SyntaxNode[], text: string, published: PermittedViews): string[] {
  if (!existsStatement.test(text))
    throw new SqlRejectedError('EXISTS takes TABLE or VIEW and a name, and nothing else');
  checkLeaves(nodes);
  new TableChecker(nodes, published).check(nodes.map(({ name }) => name).join('.'), true);
  return [];
}

function checkLeaves(nodes: readonly SyntaxNode[]): string[] {
  const odd = nodes.find(({ kind }) => kind !== 'Identifier');
  if (odd) throw rejectedNode(odd);
  return [];
}

/** Rejects names of tables that the API key may not read. */
class TableChecker {
  private readonly views: ReadonlySet<string>;
  /** The identifiers that have an alias, by the alias: ClickHouse reads `WITH t AS x SELECT 1 IN x` as `1 IN t`. */
  private readonly aliased = new Map<string, string[]>();
  private readonly left = new Set<string>();
  private readonly right = new Set<string>();

  constructor(
    nodes: readonly SyntaxNode[],
    private readonly published: PermittedViews,
  ) {
    this.views = new Set(published.views);
    for (const { kind, name, alias } of nodes) {
      if (kind !== 'Identifier' || alias === undefined) continue;
      const names = this.aliased.get(alias);
      if (names) names.push(name);
      else this.aliased.set(alias, [name]);
    }
  }

  /** @param mustExist True if the statement cannot define the name itself. */
  check(name: string, mustExist = false): void {
    // A name without a database is one that the statement defines, or does not exist.
    const isRejected = name.includes('.') || mustExist || viewName.test(name);
    if (isRejected && !this.isReadable(name))
      throw new SqlRejectedError(`There is no table ${name} to read; SHOW TABLES lists the tables`);
  }

  /** Checks an `IN`. Its right side may be a table; a table on its left side has an error of its own. */
  checkMembership(call: SyntaxNode): void {
    const [left, ...others] = argumentsOf(call);
    for (const { kind, name } of others) {
      if (kind === 'Identifier')
        for (const one of this.meanings(name, this.right)) {
          this.check(one);
          // The rules for ClickHouse's tables of tables look for them after FROM.
          if (/^(system|information_schema)\./i.test(one))
            throw new SqlRejectedError(`Right of IN, write (SELECT … FROM ${one}) with its columns`);
        }
    }
    if (left?.kind !== 'Identifier') return;
    for (const name of this.meanings(left.name, this.left)) {
      const couldBeView = viewName.test(name) || name.startsWith(`${this.published.database}.`);
      if (couldBeView && !this.isReadable(name))
        throw new SqlRejectedError(`Left of IN, ${name} could be a view; write a column as t.${name}`);
    }
  }

  private isReadable(name: string): boolean {
    const prefix = `${this.published.database}.`;
    const own = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    return this.views.has(own) || readableSystemTables.has(name.toLowerCase());
  }

  /** Returns the name and all identifiers for which it is an alias, without those that are in `known`; adds them to it. */
  private meanings(name: string, known: Set<string>): string[] {
    const found = [name].filter((one) => !known.has(one));
    for (const one of found) {
      known.add(one);
      for (const next of this.aliased.get(one) ?? []) {
        if (!known.has(next)) found.push(next);
        known.add(next);
      }
    }
    return found;
  }
}

function checkTableFunction(node: SyntaxNode): void {
  const call = node.children.find(({ kind }) => kind === 'Function');
  if (call) throw new SqlRejectedError(`The table function ${call.name} is not allowed`);
}

function rejectedNode({ kind, name }: SyntaxNode): SqlRejectedError {
  const names: Record<string, string> = {
    Set: 'A SETTINGS clause',
    ColumnsApplyTransformer: 'APPLY',
    Identifier: `FORMAT ${name}`,
    Literal: 'INTO OUTFILE',
  };
  return new SqlRejectedError(`${names[kind] ?? kind} is not allowed`);
}
