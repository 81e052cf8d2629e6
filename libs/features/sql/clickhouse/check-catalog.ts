import { SqlRejectedError } from './analyst-sql.js';
import { argumentsOf, type SyntaxNode } from './syntax-tree.js';

/** The readable system tables that also have rows about tables that an API key may not see. */
const catalogTables = /^(system\.(tables|columns|databases)|information_schema\..*)$/i;

/** The kinds of nodes that depend on the row. */
const columnNodes = new Set([
  ...['Identifier', 'Asterisk', 'QualifiedAsterisk', 'ColumnsRegexpMatcher', 'ColumnsListMatcher'],
  ...['QualifiedColumnsRegexpMatcher', 'QualifiedColumnsListMatcher'],
]);

/** System tables with columns that name folders of the server, and these columns. */
const tablesWithPaths = /^system\.(tables|databases)$/i;
const paths = new Set(['data_path', 'data_paths', 'metadata_path']);

/** The second argument of these functions is a pattern, and a malformed pattern is an error. */
const patterns = /^(not)?i?like$/i;

/** The kinds of nodes that make a statement more than one plain SELECT. */
const nested = new Set(['Subquery', 'WithElement', 'SelectIntersectExceptQuery']);

/**
 * Rejects a SELECT from ClickHouse's tables of tables and columns that could fail, or need memory or time, because of a
 * row that the API key may not see. ClickHouse evaluates conditions on all rows of these tables, before it applies the
 * filter of the key. So conditions may call only functions that cannot fail. The columns of a plain SELECT may call any
 * function, as its conditions do not use them: JDBC converts types there.
 * @throws SqlRejectedError with the name of the function, or if the statement reads folders of the server
 */
export function checkCatalog(nodes: readonly SyntaxNode[]): void {
  const catalog = nodes.find(({ kind, name }) => kind === 'TableIdentifier' && catalogTables.test(name));
  if (!catalog) return;
  checkPaths(nodes);
  const unclear = nodes.find(
    ({ kind, alias }) =>
      kind.startsWith('ColumnsReplace') || (kind !== 'TableIdentifier' && alias?.includes('.')),
  );
  if (unclear)
    throw new SqlRejectedError(
      `A statement that reads ${catalog.name} must not use REPLACE, or an alias that contains a dot`,
    );
  const late = lateNodes(nodes);
  const risky = nodes.find((node) => !late.has(node) && mayFail(node));
  const partial = [...late].find(mayFail);
  const rejected = risky ?? (partial && conditionsUse(nodes, late) ? partial : undefined);
  if (!rejected) return;
  throw new SqlRejectedError(
    `In a condition on ${catalog.name}, the function ${rejected.name} is not allowed, because it can fail or grow`,
  );
}

/** Rejects a SELECT that may read the columns with folders of the server, by their names or together with all others. */
function checkPaths(nodes: readonly SyntaxNode[]): void {
  const table = nodes.find(({ kind, name }) => kind === 'TableIdentifier' && tablesWithPaths.test(name));
  if (!table) return;
  const counted = new Set(nodes.filter(({ name }) => /^count$/i.test(name)).flatMap(argumentsOf));
  const reads = nodes.some((node) => {
    if (node.kind === 'Identifier') return node.name.split('.').some((part) => paths.has(part));
    return columnNodes.has(node.kind) && !counted.has(node);
  });
  if (!reads) return;
  throw new SqlRejectedError(
    `Name the columns of ${table.name}, without ${[...paths].join(', ')}: these name folders of the server`,
  );
}

/** Whether the node calls a function that may fail, or whose result may be much longer than its arguments. */
function mayFail(node: SyntaxNode): boolean {
  if (node.kind !== 'Function') return false;
  if (!isTotalFunction(node.name)) return !isConstantCall(node);
  return patterns.test(node.name) && argumentsOf(node)[1]?.kind !== 'Literal';
}

/**
 * Returns the nodes that ClickHouse evaluates after the conditions, on the rows that are left: the SELECT list, ARRAY
 * JOIN and ORDER BY of a statement that is one plain SELECT.
 */
function lateNodes(nodes: readonly SyntaxNode[]): Set<SyntaxNode> {
  const selects = nodes.filter(({ kind }) => kind === 'SelectQuery');
  if (selects.length !== 1 || nodes.some(({ kind }) => nested.has(kind))) return new Set();
  const clauses = selects[0]!.children;
  const from = clauses.findIndex(({ kind }) => kind === 'TablesInSelectQuery');
  const lists = clauses.slice(0, Math.max(from, 0)).filter(({ kind }) => kind === 'ExpressionList');
  // A second list is that of WITH.
  if (lists.length !== 1) return new Set();
  const others = nodes.filter(({ kind }) => kind === 'ArrayJoin' || kind === 'OrderByElement');
  const late = new Set([...lists, ...others].flatMap(({ children }) => children));
  for (const node of late) for (const child of node.children) late.add(child);
  return late;
}

/** Whether the other nodes use a name that these nodes define. */
function conditionsUse(nodes: readonly SyntaxNode[], late: ReadonlySet<SyntaxNode>): boolean {
  const defined = new Set([...late].flatMap(({ alias }) => alias ?? []));
  return nodes.some((node) => {
    if (late.has(node) || !columnNodes.has(node.kind)) return false;
    if (node.kind !== 'Identifier') return true;
    return node.name.split('.').some((part) => defined.has(part));
  });
}

/**
 * Functions, in lower case, that return a value for all arguments of the types that they accept: they never throw for
 * certain values, take about the same time for each value, and return nothing longer than their arguments. A function
 * that joins or quotes texts does not belong here: a text that doubles a few times takes memory, which shows.
 */
const total = new Set([
  ...['and', 'or', 'not', 'xor', 'equals', 'notequals', 'less', 'greater', 'lessorequals', 'greaterorequals'],
  ...['isnull', 'isnotnull', 'isdistinctfrom', 'isnotdistinctfrom', 'if', 'multiif', 'casewithexpression'],
  ...['coalesce', 'ifnull', 'nullif', 'assumenotnull', 'tonullable', 'tuple', 'has'],
  ...['in', 'notin', 'nullin', 'notnullin', 'globalin', 'globalnotin', 'globalnullin', 'globalnotnullin'],
  ...['like', 'notlike', 'ilike', 'notilike', 'startswith', 'endswith'],
  ...['position', 'positioncaseinsensitive'],
  ...['empty', 'notempty', 'length', 'char_length', 'character_length', 'lengthutf8'],
  ...['lower', 'lcase', 'upper', 'ucase', 'substring', 'substr', 'mid', 'trimboth'],
  ...['toint8ornull', 'toint16ornull', 'toint32ornull', 'toint64ornull', 'todatetimeornull'],
  ...['touint8ornull', 'touint16ornull', 'touint32ornull', 'touint64ornull', 'tofloat64ornull'],
  ...['count', 'countif', 'any', 'anylast', 'min', 'max', 'uniq', 'uniqexact', 'row_number'],
]);

/** Functions, in lower case, that conditions may call with literals: they return one short value. */
const constant =
  /^(current_?(database|user|date|timestamp)|database|schema|version|now|today|yesterday|_?cast|to(u?int(8|16|32|64)|float(32|64)|date(32)?|datetime|string|bool|uuid))$/;

/** Types of which all values are short, or as long as their literal. */
const plainType = /^\\?'(Nullable\()?(String|U?Int\d+|Float\d+|Bool|UUID|Date(32|Time)?)\)?\\?'$/;

/** Whether a ClickHouse function of this name neither fails nor grows because of the values of its arguments. */
export function isTotalFunction(name: string): boolean {
  return total.has(name.toLowerCase());
}

/** Whether the call only writes one short value: `currentDatabase()`, or a literal with its type. */
export function isConstantCall(call: SyntaxNode): boolean {
  const [, type, ...others] = argumentsOf(call);
  const hasType = type === undefined || (plainType.test(type.name) && others.length === 0);
  return (
    constant.test(call.name.toLowerCase()) &&
    hasType &&
    argumentsOf(call).every(({ kind }) => kind === 'Literal')
  );
}
