import type { SqlRow, SqlRows } from '#client';
import type { Column } from '../output/column.js';
import { parametersOf } from '../sql/parameters.js';
import { sqlCell } from '../sql/sql-cell.js';
import { statementOf } from '../sql/statement.js';
import type { Command } from './command.js';

export const sql: Command = {
  name: 'sql',
  summary: 'Runs a SELECT over the events, and shows its rows.',
  positionals: [{ name: 'STATEMENT', optional: true, about: 'the statement; default: standard input' }],
  options: {
    param: { value: 'NAME=VALUE', multiple: true, about: 'value of {NAME:Type} in the statement' },
  },
  details:
    "The key needs the scope sql:read. `tributary sql 'SHOW TABLES'` lists the tables; -o sets the format of the\nrows, so leave FORMAT out. JSON functions find every member in readable_data and readable_metadata only; data and\nmetadata are the exact texts.",
  effect: 'reads',
  async run(session, input) {
    const parameters = parametersOf(input.texts('param') ?? []);
    const statement = await statementOf(input.optionalWord('STATEMENT'), session.terminal);
    const client = await session.client();
    const rows = await client.sql(statement, { parameters, signal: session.signal });
    if (rows.warning !== undefined) session.report(`Warning: ${rows.warning}.`);
    await session.output.list(rows, columnsOf(rows));
  },
};

function columnsOf({ columns }: SqlRows): Column<SqlRow>[] {
  return columns.map((name, i) => ({ name, of: ({ texts }) => sqlCell(texts[i]!) }));
}
