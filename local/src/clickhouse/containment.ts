import { ClickHouseException, code } from './errors.js';
import type { Lane } from './lane.js';
import { quote, tokens, type Token } from './sql.js';

/** A statement without any of these letters has nothing to look for, however it is written: names allow escapes. */
const doubtful = /file|engine|disk|identifier|executable|ytsaurus|\\/i;

/** Functions and clauses that reach files, programs or servers without a grant. */
const forbiddenNames = new Set(['file', 'infile', 'outfile', 'executable', 'ytsaurus']);

/** Engines that keep everything in the data folder, of tables and of databases. */
const allowedEngine = /^(\w*MergeTree|Memory|Null|Atomic)$/;

/**
 * Refuses a statement that reaches beyond the data folder by what the engine has no grant for: the function `file`,
 * `INFILE` and `OUTFILE`, table engines over paths and programs, disks of its own. The engine's parser says what the
 * statement is, not a reading of ours, which comments and quotes could mislead.
 * @throws ClickHouseException, or the engine's own error for what is no statement.
 */
export async function assertContained(
  lane: Pick<Lane, 'run'>,
  { sql, params }: { sql: string; params: ReadonlyMap<string, string> },
): Promise<void> {
  if (!doubtful.test(sql)) return;
  const { bytes } = await lane.run(`SELECT formatQuerySingleLine(${quote(sql)})`, 'TSVRaw');
  const canonical = Buffer.from(bytes).toString('utf8').trim();
  const found = canonical === '' ? 'a statement that cannot be read' : firstForbidden(canonical, params);
  if (found === undefined) return;
  throw new ClickHouseException(
    code.accessDenied,
    'ACCESS_DENIED',
    `${found} is not allowed: the embedded ClickHouse reaches no file, program or server outside its data folder`,
  );
}

/** What a statement, as the engine writes it, has in it that is not allowed. */
export function firstForbidden(canonical: string, params: ReadonlyMap<string, string>): string | undefined {
  let before: Token | undefined;
  let last: Token | undefined;
  for (const token of tokens(canonical)) {
    if (forbiddenNames.has(nameOf(token))) return token.text;
    if (token.text === '(' && last && nameOf(last) === 'disk') return 'disk(...)';
    const isEngine = before?.text === 'ENGINE' && last?.text === '=';
    if (isEngine && !allowedEngine.test(token.text)) return `ENGINE = ${token.text}`;
    if (isForbiddenParameter(token, params)) return token.text;
    [before, last] = [last, token];
  }
  return undefined;
}

/** The name of a function may come as a parameter. */
function isForbiddenParameter(token: Token, params: ReadonlyMap<string, string>): boolean {
  const name = token.kind === 'parameter' && /^\{\s*(\w+)\s*:\s*Identifier\s*\}$/.exec(token.text)?.[1];
  if (!name) return false;
  const value = params.get(name);
  return value === undefined || forbiddenNames.has(value.toLowerCase()) || value.includes('\\');
}

function nameOf({ kind, text }: Token): string {
  if (kind === 'word') return text.toLowerCase();
  return kind === 'quoted' ? text.slice(1, -1).toLowerCase() : '';
}
