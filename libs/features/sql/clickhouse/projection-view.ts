import type { FoldResultType } from '#dataflow';
import { quoteIdentifier, quoteText } from '#store';
import type { ProjectionView } from './analyst-sql.js';

/** Columns of each projection's view besides its fields. */
const ownColumns = ['key', 'events', 'updated_at', 'state'];

/**
 * Returns the SELECT of a projection's view: one row for each key, with the columns of each field. The table
 * `projection_results` has each result as a line of JSON text, and the items of a list are separated by tabs. No name of a
 * field begins with `_`, so no field hides a column of the subquery.
 */
export function projectionSelect({ generation, fields }: ProjectionView, tables: string): string {
  const taken = new Set(fields.map(mainColumn));
  const columns: [name: string, sql: string][] = [['key', '_key']];
  const members: string[] = [];
  for (const [index, field] of fields.entries()) {
    const line = `_lines[${index + 1}]`;
    const name = mainColumn(field);
    const { main, second } = columnsOf[field.type](line);
    columns.push([name, main]);
    if (second) columns.push([secondColumn(`${name}${second.suffix}`, taken), second.sql]);
    members.push(quoteText(`"${field.name}":`), field.type === 'list' ? listText(line) : line, `','`);
  }
  columns.push(['events', '_events'], ['updated_at', '_updated_at']);
  columns.push(['state', `concat('{', ${members.slice(0, -1).join(', ')}, '}')`]);
  return (
    `SELECT ${columns.map(([name, sql]) => `${sql} AS ${quoteIdentifier(name)}`).join(', ')} FROM (` +
    `SELECT key AS _key, events AS _events, updated_at AS _updated_at, splitByChar('\\n', state) AS _lines ` +
    `FROM ${quoteIdentifier(tables)}.projection_results FINAL ` +
    `WHERE owner = ${quoteText(generation)} AND kind = 'row')`
  );
}

/** Returns the name of the field, or `field_<name>` if the view or a renamed field could have a column of that name. */
function mainColumn({ name }: { name: string }): string {
  return ownColumns.includes(name.replace(/^(field_)*/, '')) ? `field_${name}` : name;
}

/** Returns a name that no other column has, and takes it. */
function secondColumn(name: string, taken: Set<string>): string {
  const free = taken.has(name) || ownColumns.includes(name) ? secondColumn(`${name}_`, taken) : name;
  taken.add(free);
  return free;
}

interface FieldColumns {
  main: string;
  /** The second column of the field: the suffix of its name, and its SQL. */
  second?: { suffix: string; sql: string };
}

/** SQL of the columns of a field by its type, from the SQL of its result as JSON text. */
const columnsOf: Record<FoldResultType, (line: string) => FieldColumns> = {
  count: (line) => ({ main: `toUInt64OrZero(${line})` }),
  sum: (line) => ({ main: exactDecimal(line), second: { suffix: '_text', sql: line } }),
  mean: (line) => ({ main: finiteNumber(line) }),
  value: (line) => ({
    main: `nullIf(${line}, 'null')`,
    second: { suffix: '_number', sql: finiteNumber(line) },
  }),
  list: (line) => ({ main: `if(${line} = '', [], splitByChar('\\t', ${line}))` }),
  json: (line) => ({ main: line }),
};

/**
 * Matches a sum of at most 18 decimal places. A sum has an exponent if it would have more than 20 zeros. ClickHouse does
 * not notice when a Decimal256 overflows: up to 10^38 there is room for sums and quotients of such columns.
 */
const exactSum = '^-?[0-9]+([.][0-9]{1,18}|e[+][0-9]{2})?$';
const largestSum = '1e38';

/** NULL for a number that the type would round, or that is too large. */
function exactDecimal(line: string): string {
  const isExact = `match(${line}, '${exactSum}') AND abs(toFloat64OrZero(${line})) <= ${largestSum}`;
  return `toDecimal256OrNull(if(${isExact}, ${line}, ''), 18)`;
}

/** NULL for all that is not a number, and for a number beyond Float64. */
function finiteNumber(line: string): string {
  return `if(isFinite(toFloat64OrNull(${line})), toFloat64OrNull(${line}), NULL)`;
}

function listText(line: string): string {
  return `concat('[', replaceAll(${line}, '\\t', ','), ']')`;
}
