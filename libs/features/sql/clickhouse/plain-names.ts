import { SqlRejectedError } from './analyst-sql.js';

/** Matches single-quoted strings, and names in other quotes, as ClickHouse formats a statement. */
const quotedParts = /'(?:[^'\\]|\\[\s\S])*'|([`"])((?:(?!\1)[^\\]|\\[\s\S])*)\1/g;

/** Matches a name without control characters. ClickHouse escapes quotes, backslashes and control characters. */
const plain = /^(?:[^\p{Cc}\\]|\\[\\'"`])*$/u;

/** Matches what begins the alias and the number of children in a line of `EXPLAIN AST`. */
const endOfNode = /\((?:alias|children) /;

/**
 * Rejects names that contain a control character, or text like the end of a node. `EXPLAIN AST` prints names unescaped,
 * so such a name could imitate a node of the tree, or hide the name of a function behind a false alias.
 * @param text The statement as ClickHouse formats it.
 * @param params The values of the statement's parameters. If any parameter has the type Identifier, all
 * values are checked as names.
 * @throws SqlRejectedError
 */
export function assertPlainNames(text: string, params: ReadonlyMap<string, string>): void {
  for (const [, , name] of text.matchAll(quotedParts)) if (name !== undefined) requirePlain(name);
  if (!/:\s*Identifier\s*\}/i.test(text)) return;
  for (const value of params.values()) requirePlain(value);
}

function requirePlain(name: string): void {
  if (!plain.test(name)) throw new SqlRejectedError('A name with a control character is not allowed');
  if (endOfNode.test(name))
    throw new SqlRejectedError('A name that contains "(alias " or "(children " is not allowed');
}
