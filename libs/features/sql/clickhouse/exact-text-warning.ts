import { argumentsOf, type SyntaxNode } from './syntax-tree.js';

/** Matches ClickHouse's functions that parse a JSON text. Those of `simpleJSON…` search in the text instead. */
const parsesJson = /^JSON\w+$/;
/** Matches the functions that convert a value to a type: `CAST(data, 'JSON')`, also written `data::JSON`. */
const castsToJson = /^(_?cast|accuratecast(ornull|ordefault)?)$/i;

/**
 * Returns a warning if a statement gives the column `data` or `metadata` to a function that parses JSON: the function
 * finds nothing in some of these texts, without an error. Follows a column's aliases. Misses calls on computed texts.
 */
export function exactTextWarning(nodes: readonly SyntaxNode[]): string | undefined {
  const columns = columnsByName(nodes);
  for (const node of nodes) {
    if (node.kind !== 'Function') continue;
    const [text, type] = argumentsOf(node);
    const isCast = castsToJson.test(node.name) && type?.kind === 'Literal' && /^'\s*JSON\b/i.test(type.name);
    if (!isCast && !parsesJson.test(node.name)) continue;
    const column = text?.kind === 'Identifier' ? columns.get(lastPart(text.name)) : undefined;
    if (column !== undefined && isCast)
      return `A cast to JSON fails for an integer beyond 64 bits or an unpaired surrogate: give it readable_${column} instead of ${column}`;
    if (column !== undefined)
      return (
        `${node.name} finds no member in a text with an integer beyond 64 bits, a number beyond a double or an ` +
        `unpaired surrogate, and does not fail: give it readable_${column} instead of ${column}`
      );
  }
  return undefined;
}

/** Returns `data` and `metadata` by the names that mean these columns in the statement. */
function columnsByName(nodes: readonly SyntaxNode[]): Map<string, string> {
  const columns = new Map([
    ['data', 'data'],
    ['metadata', 'metadata'],
  ]);
  for (const { kind, name, alias } of nodes) {
    if (alias === undefined || kind.startsWith('Table')) continue;
    const column = kind === 'Identifier' ? columns.get(lastPart(name)) : undefined;
    if (column === undefined) columns.delete(alias);
    else columns.set(alias, column);
  }
  return columns;
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
