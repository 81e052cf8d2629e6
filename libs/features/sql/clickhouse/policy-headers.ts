import { type SqlRequest, SqlError } from './analyst-sql.js';
import { namedStreams } from '#store';

/** Header with the streams whose events a statement may read, comma-separated. */
export const streamsHeader = 'x-tributary-streams';
/** Header with the prefixes of further streams, each with a `*` at its end, comma-separated; `*` names all streams. */
export const prefixesHeader = 'x-tributary-stream-prefixes';
/** Header with the generations of projections whose results a statement may read, comma-separated. */
export const generationsHeader = 'x-tributary-generations';

/** ClickHouse accepts headers of 128 KiB (`http_max_field_value_size`). */
const mostBytes = 120 * 1024;

const fewerPatterns = 'issue a key with prefixes such as orders*';

/**
 * Returns the headers by which the row policies of ClickHouse's user for analysts find the rows that an API key may see.
 * @throws SqlError if the key names too many streams or projections for a header
 */
export function policyHeaders({
  permitted,
  generations,
}: Pick<SqlRequest, 'permitted' | 'generations'>): Record<string, string> {
  const patterns = namedStreams(permitted) ?? permitted.access.patterns ?? ['*'];
  const isPrefix = (pattern: string) => pattern.endsWith('*');
  return {
    [streamsHeader]: header(
      { what: 'streams', remedy: fewerPatterns },
      patterns.filter((pattern) => !isPrefix(pattern)),
    ),
    [prefixesHeader]: header({ what: 'prefixes', remedy: fewerPatterns }, patterns.filter(isPrefix)),
    [generationsHeader]: header({ what: 'projections', remedy: 'name fewer views in it' }, generations),
  };
}

function header({ what, remedy }: { what: string; remedy: string }, names: readonly string[]): string {
  const value = names.join(',');
  if (value.length <= mostBytes) return value;
  const message = `The statement would need ${names.length} ${what} of the key, which are too many for SQL; ${remedy}`;
  throw new SqlError(0, 400, message);
}
