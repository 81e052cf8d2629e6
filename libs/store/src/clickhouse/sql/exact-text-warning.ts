import { argumentsOf, type SyntaxNode } from './syntax-tree.js';

/** Matches ClickHouse's functions that parse a JSON text. Those of `simpleJSON…` search in the text instead. */
const parsesJson = /^JSON\w+$/;

/**
 * Returns a warning if a statement gives the column `data` or `metadata` to a function that parses JSON: the function
 * finds nothing in some of these texts, without an error. Follows a column's aliases. Misses calls on computed texts.
 */
export function exactTextWarning(nodes: readonly SyntaxNode[]): string | undefined {
  const columns = columnsByName(nodes);
  for (const node of nodes) {
    if (node.kind !== 'Function' || !parsesJson.test(node.name)) continue;
    const [text] = argumentsOf(node);
    const column = text?.kind === 'Identifier' ? columns.get(lastPart(text.name)) : undefined;
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
