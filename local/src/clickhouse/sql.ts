/**
 * A tokenizer for ClickHouse's SQL. The tokenizer skips comments, strings and quoted names, so their content is not
 * mistaken for a keyword or a parameter. The tokens are sufficient to classify a request without executing it.
 */

/** A word, literal, name, parameter or symbol of an SQL text, with its position. */
export interface SqlToken {
  kind: 'word' | 'number' | 'string' | 'quoted' | 'parameter' | 'symbol';
  text: string;
  start: number;
  end: number;
  /** The number of open brackets around the token. */
  depth: number;
}

// In this order: comments and white space, strings, quoted names, {name:Type}, words, numbers, other characters.
const pattern =
  /(?<skip>\s+|--[^\n]*|#[ !][^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>'(?:[^'\\]|\\[\s\S]|'')*(?:'|$))|(?<quoted>`(?:[^`\\]|\\[\s\S]|``)*(?:`|$)|"(?:[^"\\]|\\[\s\S]|"")*(?:"|$))|(?<parameter>\{\s*[A-Za-z_]\w*\s*:[^{}]*\})|(?<word>[A-Za-z_$][\w$]*)|(?<number>\d[\w.]*)|(?<symbol>[\s\S])/gy;

/** Returns the tokens of a statement one at a time, so that the data after an INSERT is not read. */
export function* tokens(sql: string): Generator<SqlToken> {
  let depth = 0;
  for (const match of sql.matchAll(pattern)) {
    const groups = match.groups ?? {};
    if (groups.skip !== undefined) continue;
    const kind = kinds.find((name) => groups[name] !== undefined) ?? 'symbol';
    const text = match[0];
    if (kind === 'symbol' && ')]}'.includes(text)) depth--;
    yield { kind, text, start: match.index, end: match.index + text.length, depth };
    if (kind === 'symbol' && '([{'.includes(text)) depth++;
  }
}
const kinds = ['string', 'quoted', 'parameter', 'word', 'number', 'symbol'] as const;

/** Returns the first keyword in upper case: SELECT, INSERT, CREATE ... */
export function statementKind(sql: string): string {
  for (const token of tokens(sql)) {
    if (token.kind === 'word') return token.text.toUpperCase();
    if (token.text !== '(') return '';
  }
  return '';
}

/** Whether a statement changes the session instead of data: settings, the database, a temporary table. */
export function changesSession(sql: string): boolean {
  return /^(SET|USE|CREATE (OR REPLACE )?TEMPORARY) /i.test(firstTokens(sql, 5));
}

function firstTokens(sql: string, count: number): string {
  const texts: string[] = [];
  for (const token of tokens(sql)) {
    if (texts.push(token.text) === count) break;
  }
  return texts.join(' ');
}

/** Returns the names of the `{name:Type}` parameters of a statement. */
export function parameterNames(sql: string): string[] {
  const names = new Set<string>();
  for (const token of tokens(sql)) {
    if (token.kind !== 'parameter') continue;
    names.add(token.text.slice(1, token.text.indexOf(':')).trim());
  }
  return [...names];
}

/** Returns the format in a query's own FORMAT clause. */
export function formatClause(sql: string): string | undefined {
  let previous: SqlToken | undefined;
  let format: string | undefined;
  for (const token of tokens(sql)) {
    const isName = previous?.depth === 0 && previous.kind === 'word' && /^format$/i.test(previous.text);
    if (isName && token.kind === 'word') format = token.text;
    previous = token;
  }
  return format;
}

/** The parts of an INSERT that contains its rows. */
export interface InsertHead {
  /** `INSERT INTO t (a, b)` */
  target: string;
  /** `SETTINGS a = 1`, or empty. */
  settings: string;
  format: string;
  /** The position in the text at which the rows begin. */
  dataStart: number;
}

/**
 * Splits `INSERT INTO t (a, b) SETTINGS a = 1 FORMAT X`. Returns undefined if the rows come from a SELECT or a file.
 */
export function insertHead(sql: string): InsertHead | undefined {
  let targetEnd = 0;
  let settingsStart = 0;
  let seenInto = false;
  for (const token of tokens(sql)) {
    if (token.kind !== 'word' || token.depth > 0) continue;
    const word = token.text.toUpperCase();
    if (word === 'INTO') seenInto = true;
    if (!seenInto) continue;
    if (word === 'SELECT' || word === 'WITH' || word === 'WATCH' || word === 'FROM') return undefined;
    if (word === 'SETTINGS') [targetEnd, settingsStart] = [targetEnd || token.start, token.start];
    if (word !== 'FORMAT' && word !== 'VALUES') continue;
    const settings = settingsStart ? sql.slice(settingsStart, token.start).trim() : '';
    const target = sql.slice(0, targetEnd || token.start).trim();
    if (word === 'VALUES') return { target, settings, format: 'Values', dataStart: token.end };
    const name = /\s*([A-Za-z]\w*)[^\S\n]*;?\r?\n?/y;
    name.lastIndex = token.end;
    const format = name.exec(sql);
    if (!format?.[1]) return undefined;
    return { target, settings, format: format[1], dataStart: name.lastIndex };
  }
  return undefined;
}

/** Whether a text contains more than one statement; a trailing semicolon does not count. */
export function hasSeveralStatements(sql: string): boolean {
  let ended = false;
  for (const token of tokens(sql)) {
    if (ended) return true;
    ended = token.text === ';' && token.depth === 0;
  }
  return false;
}

/** Returns a string literal with exactly this text. */
export function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Returns a name in backticks. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}
