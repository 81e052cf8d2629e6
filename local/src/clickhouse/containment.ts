import { LocalClickHouseRequestError, code } from './errors.js';
import type { EngineConnection } from './engine-connection.js';
import { quote, tokens, type SqlToken } from './sql.js';

/**
 * Only a statement that matches this can reach outside the data folder, so only such a statement is checked. Names may
 * contain escapes, so a backslash matches too.
 */
const doubtful = /file|engine|disk|identifier|executable|ytsaurus|\\/i;

/** Functions and clauses that access files, programs or servers without a grant. */
const forbiddenNames = new Set(['file', 'infile', 'outfile', 'executable', 'ytsaurus']);

/** Engines of tables and databases that store all data in the data folder. */
const allowedEngine = /^(\w*MergeTree|Memory|Null|Atomic)$/;

/**
 * Refuses a statement that would access files, programs or servers outside the data folder and that no grant
 * prevents: the function `file`, `INFILE` and `OUTFILE`, table engines over paths and programs, custom disks. The
 * statement is normalized by the engine's own parser, because comments and quotes could mislead a parser of ours.
 * @throws LocalClickHouseRequestError for a forbidden statement, or the engine's own error for an invalid one.
 */
export async function assertContained(
  lane: Pick<EngineConnection, 'run'>,
  { sql, params }: { sql: string; params: ReadonlyMap<string, string> },
): Promise<void> {
  if (!doubtful.test(sql)) return;
  const { bytes } = await lane.run(`SELECT formatQuerySingleLine(${quote(sql)})`, 'TSVRaw');
  const canonical = Buffer.from(bytes).toString('utf8').trim();
  const found = canonical === '' ? 'a statement that cannot be read' : firstForbiddenWord(canonical, params);
  if (found === undefined) return;
  throw new LocalClickHouseRequestError(
    code.accessDenied,
    'ACCESS_DENIED',
    `${found} is not allowed: the embedded ClickHouse cannot access files, programs or servers outside its data folder`,
  );
}

/** Returns the first forbidden word of a statement that the engine has normalized, or undefined. */
export function firstForbiddenWord(
  canonical: string,
  params: ReadonlyMap<string, string>,
): string | undefined {
  let before: SqlToken | undefined;
  let last: SqlToken | undefined;
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

/** Whether a parameter contains the name of a forbidden function. */
function isForbiddenParameter(token: SqlToken, params: ReadonlyMap<string, string>): boolean {
  const name = token.kind === 'parameter' && /^\{\s*(\w+)\s*:\s*Identifier\s*\}$/.exec(token.text)?.[1];
  if (!name) return false;
  const value = params.get(name);
  return value === undefined || forbiddenNames.has(value.toLowerCase()) || value.includes('\\');
}

function nameOf({ kind, text }: SqlToken): string {
  if (kind === 'word') return text.toLowerCase();
  return kind === 'quoted' ? text.slice(1, -1).toLowerCase() : '';
}
