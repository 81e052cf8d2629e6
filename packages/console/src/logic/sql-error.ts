/** What an error of ClickHouse is about in the statement. */
export interface StatementError {
  /** From 1. */
  line: number;
  column: number;
  /** UTF-16 indexes of the erroneous word. */
  start: number;
  end: number;
  /** The line of the word: what precedes it, the word, and what follows. */
  before: string;
  wrong: string;
  after: string;
}

/** Returns the position that a message names, or that of the name that it says is unknown; undefined if there is none. */
export function statementError(message: string, statement: string): StatementError | undefined {
  const start = syntaxError(message, statement) ?? unknownName(message, statement);
  if (start === undefined) return undefined;
  const [wrong] = /^[\p{L}\d_]+|^./u.exec(statement.slice(start)) ?? [' '];
  const end = Math.min(statement.length, start + wrong.length);
  const lineStart = statement.lastIndexOf('\n', start - 1) + 1;
  const [after = ''] = statement.slice(end).split('\n');
  const before = statement.slice(lineStart, start);
  const line = statement.slice(0, lineStart).split('\n').length;
  return { line, column: before.length + 1, start, end, before, wrong, after };
}

/** ClickHouse counts bytes, from 1. */
function syntaxError(message: string, statement: string): number | undefined {
  const [, position] = /failed at position (\d+)/.exec(message) ?? [];
  if (position === undefined) return undefined;
  const bytes = new TextEncoder().encode(statement).subarray(0, Number(position) - 1);
  return new TextDecoder().decode(bytes).length;
}

function unknownName(message: string, statement: string): number | undefined {
  const [, name] = /(?:identifier|with name) [`']([^`']+)[`']/.exec(message) ?? [];
  if (name === undefined) return undefined;
  const word = new RegExp(`(?<![\\w.])${name.replaceAll(/[^\w]/g, '\\$&')}(?!\\w)`);
  return word.exec(statement)?.index;
}
