import { microsOfTimeText } from '#cel';
import { quoteText, quoteIdentifier } from './connection/sql-params.js';

/** A column of an SQL view or an exported file: a top-level member of an event's `data`, with its type. */
export interface DataMemberColumn {
  member: string;
  type: 'text' | 'integer' | 'number' | 'boolean' | 'time' | 'json';
}

/** Names and SQL expressions of the event columns in SQL views and exported files. A value that the event does not have is NULL. */
const eventColumns: Readonly<Record<string, string>> = {
  event_id: 'event_id',
  stream: `splitByChar('#', stream)[1]`,
  event_type: 'event_type',
  entity_id: `nullIf(entity_id, '')`,
  version: 'nullIf(version, 0)',
  timestamp: 'timestamp',
  ingested_at: 'ingested_at',
  schema_version: 'nullIf(schema_version, 0)',
  partition: 'partition',
  offset: 'offset',
  metadata: 'metadata',
  data: 'data',
};

/** Names that `readableEventColumns` defines: a column of the same name would be another expression for one alias. */
const definedNames = ['readable_data', 'readable_metadata', 'exact_data', 'exact_metadata'];

/**
 * Returns the SELECT clause with the columns of an event, then the given members. `instead` replaces the
 * expressions of some columns, or adds some. With members, the statement must begin with `readableEventColumns`.
 */
export function selectClause(
  members: readonly DataMemberColumn[],
  instead: Readonly<Record<string, string>> = {},
): string {
  // A column cannot have an empty name.
  const typed = members
    .filter(({ member }) => member !== '')
    .map((column) => [columnName(column), memberExpression(column)] as const);
  const columns = Object.entries({ ...eventColumns, ...instead, ...Object.fromEntries(typed) });
  return `SELECT ${columns.map(([name, sql]) => (name === sql ? name : `${sql} AS ${quoteIdentifier(name)}`)).join(', ')}`;
}

const taken = new Set([...Object.keys(eventColumns), ...definedNames]);

/**
 * Returns the member's name, or `data_<name>` if the name is that of an event column or could collide with a
 * renamed member.
 */
export function columnName({ member }: Pick<DataMemberColumn, 'member'>): string {
  return taken.has(member.replace(/^(data_)*/, '')) || taken.has(member) ? `data_${member}` : member;
}

/**
 * Returns the SQL expression for a top-level member of `data` as a value of the column's type; its value is NULL if the
 * member is missing or has another type. Numbers and booleans are read from the member's JSON text, because ClickHouse's
 * typed functions convert other values: 7.5, "7" and true would become integers. A time is a text of the format
 * `date-time`.
 */
export function memberExpression({ member, type }: DataMemberColumn): string {
  const place = `(readable_data, ${quoteText(member)}`;
  const text = `JSONExtractRaw${place})`;
  const expressions: Record<DataMemberColumn['type'], string> = {
    text: `JSONExtract${place}, 'Nullable(String)')`,
    integer: `toInt64OrNull(${text})`,
    number: `toFloat64OrNull(${text})`,
    boolean: `CAST(if(${text} IN ('true', 'false'), ${text} = 'true', NULL), 'Nullable(Bool)')`,
    time: timeExpression(`if(startsWith(${text}, '"'), JSONExtractString${place}), '')`),
    json: `nullIf(${text}, '')`,
  };
  return expressions[type];
}

function timeExpression(text: string): string {
  return `fromUnixTimestamp64Micro(${microsOfTimeText(text, 'date-time')}, 'UTC')`;
}
