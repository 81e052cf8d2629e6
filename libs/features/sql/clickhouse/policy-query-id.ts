import { type SqlRequest, SqlError } from './analyst-sql.js';
import { namedStreams } from '#store';

/** Bytes of all lists together: ClickHouse accepts URLs of 1 MiB (`http_max_uri_size`), which also contain the filters of tables. */
const mostBytes = 120 * 1024;

const fewerPatterns = 'issue a key with prefixes such as orders*';

/** The lists in a query id, in their order. */
const lists = ['streams', 'prefixes', 'generations'] as const;

/**
 * Returns the SQL expression of a list in the query id of a statement: the streams whose events it may read, the prefixes of further
 * streams (each with a `*` at its end; `*` names all streams), or the generations of projections whose results it may read. No statement
 * can change its query id. On a cluster, each shard knows the query id of the statement that it answers a part of, but not its headers.
 * Source: https://clickhouse.com/docs/sql-reference/functions/other-functions#initialQueryID
 */
export function listInQueryId(list: (typeof lists)[number]): string {
  return `splitByChar(',', splitByChar(' ', initialQueryID())[${lists.indexOf(list) + 1}])`;
}

/**
 * Returns the query id by which the row policies of ClickHouse's user for analysts find the rows that an API key may see: the three lists
 * and the given id, separated by spaces, which no name contains.
 * @throws SqlError if the key names too many streams or projections
 */
export function policyQueryId({
  permitted,
  generations,
  queryId,
}: Pick<SqlRequest, 'permitted' | 'generations' | 'queryId'>): string {
  const patterns = namedStreams(permitted) ?? permitted.access.patterns ?? ['*'];
  const isPrefix = (pattern: string) => pattern.endsWith('*');
  const [streams, prefixes] = [patterns.filter((pattern) => !isPrefix(pattern)), patterns.filter(isPrefix)];
  const id = [streams, prefixes, generations].map((names) => names.join(',')).join(' ');
  if (id.length <= mostBytes) return `${id} ${queryId}`;
  const [what, names, remedy] = [
    ['streams', streams, fewerPatterns] as const,
    ['prefixes', prefixes, fewerPatterns] as const,
    ['projections', generations, 'name fewer views in it'] as const,
  ].sort(([, one], [, other]) => other.length - one.length)[0]!;
  throw new SqlError(
    ...([0, 400] as const),
    `The statement would need ${names.length} ${what} of the key, which are too many for SQL; ${remedy}`,
  );
}
