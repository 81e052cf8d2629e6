import { SqlRefusedError } from '../../sql-queries.js';

/** Texts in single quotes, or names in other ones, as ClickHouse writes a statement. */
const quotedParts = /'(?:[^'\\]|\\[\s\S])*'|([`"])((?:(?!\1)[^\\]|\\[\s\S])*)\1/g;

/** A name without a control character. ClickHouse escapes quotes, backslashes and control characters. */
const plain = /^(?:[^\p{Cc}\\]|\\[\\'"`])*$/u;

/**
 * Refuses names with a control character. `EXPLAIN AST` writes names as they are: a line break in one could look like a
 * node of the tree.
 * @param text the statement as ClickHouse writes it
 * @param params values of the statement's parameters; one that stands for a name is a name
 * @throws SqlRefusedError
 */
export function requirePlainNames(text: string, params: ReadonlyMap<string, string>): void {
  for (const [, , name] of text.matchAll(quotedParts)) if (name !== undefined) requirePlain(name);
  if (!/:\s*Identifier\s*\}/i.test(text)) return;
  for (const value of params.values()) requirePlain(value);
}

function requirePlain(name: string): void {
  if (!plain.test(name)) throw new SqlRefusedError('A name with a control character is not allowed');
}
