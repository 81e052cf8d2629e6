/** A view of SQL, with its columns. */
export interface SqlView {
  name: string;
  columns: readonly { name: string; type: string }[];
}

/** A name or a word that continues what is typed. */
export interface Suggestion {
  /** The text that replaces the word. */
  text: string;
  /** What it is: the type of a column, `view`, `keyword` or `function`. */
  about: string;
}

export interface Completion {
  /** The start of the word that a suggestion replaces. It ends at the caret. */
  start: number;
  suggestions: readonly Suggestion[];
}

const mostSuggestions = 8;
/** In a longer statement, reading it at each key would be slow. */
const mostLength = 20_000;

const keywords =
  'SELECT DISTINCT FROM WHERE PREWHERE AND OR NOT IN LIKE ILIKE BETWEEN AS CASE WHEN THEN ELSE END GROUP HAVING ORDER BY ASC DESC LIMIT OFFSET JOIN LEFT INNER ON USING UNION ALL WITH INTERVAL SECOND MINUTE HOUR DAY WEEK MONTH NULL IS ARRAY SHOW TABLES DESCRIBE';
const functions =
  'count countIf sum sumIf avg min max uniq uniqExact quantile any argMax argMin groupArray round toDate toDateTime toStartOfInterval toStartOfMinute toStartOfFiveMinutes toStartOfHour toStartOfDay toStartOfWeek toStartOfMonth now today dateDiff formatDateTime toString toInt64 toFloat64 lower upper length concat substring splitByChar replaceAll startsWith has if multiIf coalesce JSONExtractString JSONExtractInt JSONExtractFloat JSONExtractBool JSONExtractRaw JSONHas';

const words: readonly Suggestion[] = [
  ...keywords.split(' ').map((text) => ({ text, about: 'keyword' })),
  ...functions.split(' ').map((text) => ({ text: `${text}(`, about: 'function' })),
];

/**
 * Returns what continues the word before the caret: columns of the views that the statement names, views, keywords.
 * Undefined without a word, in a text, in a comment, and in a long statement.
 */
export function completionAt(
  statement: string,
  caret: number,
  views: readonly SqlView[],
): Completion | undefined {
  if (statement.length > mostLength) return undefined;
  const before = statement.slice(0, caret);
  const [word = ''] = /(?<![\p{L}\d_])[\p{L}_][\p{L}\d_]*$/u.exec(before) ?? [];
  const start = caret - word.length;
  if (word === '' || isQuoted(before) || /^[\p{L}\d_]/u.test(statement.slice(caret))) return undefined;
  const isMember = before[start - 1] === '.';
  const named = views.filter(({ name }) => isNamed(statement, name));
  const columns = (named.length > 0 ? named : views.filter(({ name }) => name === 'events'))
    .flatMap(({ columns }) => columns)
    .map(({ name, type }) => ({ text: identifier(name), about: type }));
  const all = [
    ...columns,
    ...(isMember ? [] : views.map(({ name }) => ({ text: identifier(name), about: 'view' }))),
    ...(isMember ? [] : words),
  ];
  const suggestions = matching(all, word.toLowerCase());
  return suggestions.length === 0 ? undefined : { start, suggestions };
}

/** Returns the names that begin with a word, then those that contain it; each once. */
function matching(all: readonly Suggestion[], word: string): readonly Suggestion[] {
  const unique = [...new Map(all.map((one) => [one.text, one])).values()];
  const textOf = ({ text }: Suggestion) => text.replace(/^`/, '').toLowerCase();
  const first = unique.filter((one) => textOf(one).startsWith(word));
  const later = unique.filter((one) => word.length > 1 && textOf(one).indexOf(word) > 0);
  if (first.length === 1 && first[0]!.text.toLowerCase() === word) return [];
  return [...first, ...later].slice(0, mostSuggestions);
}

/** Returns whether a statement contains a name as a whole word. */
function isNamed(statement: string, name: string): boolean {
  for (let at = statement.indexOf(name); at >= 0; at = statement.indexOf(name, at + 1))
    if (!isWordAt(statement, at - 1) && !isWordAt(statement, at + name.length)) return true;
  return false;
}

function isWordAt(text: string, at: number): boolean {
  return at >= 0 && at < text.length && /[\p{L}\d_]/u.test(text[at]!);
}

/** Returns a name as SQL reads it: in backquotes if it needs them. */
export function identifier(name: string): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return name;
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

/** Returns whether a text ends inside of a quoted text, a quoted name or a comment. */
function isQuoted(text: string): boolean {
  const whole = /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`\\]|\\.|``)*`|--[^\n]*\n|\/\*[\s\S]*?\*\//g;
  return /['"`]|--|\/\*/.test(text.replace(whole, ' '));
}
