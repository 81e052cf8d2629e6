import type { SqlRow, SqlRows, SqlParameters } from '#client';
import type { Column } from '../output/formats.js';
import type { Command } from './command.js';
import { UsageError } from '../errors/cli-error.js';
import type { CliProcess } from '../session/terminal.js';

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

/** Parses the parameters of a statement: `name=value`. @throws UsageError */
function parametersOf(texts: readonly string[]): SqlParameters {
  return Object.fromEntries(texts.map(parameterOf));
}

function parameterOf(text: string): readonly [string, string] {
  const [, name, value] = /^(\w{1,128})=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`--param is "${text}", but must be NAME=VALUE.`);
  return [name, value];
}

/** The maximum size of a statement that the server accepts. */
const mostBytes = 256 * 1024;

/** Returns the statement: the argument, or all of standard input. @throws UsageError */
async function statementOf(word: string | undefined, terminal: CliProcess): Promise<string> {
  const statement = word === undefined || word === '-' ? await readAll(terminal) : word;
  if (statement.trim() === '') throw new UsageError('STATEMENT is missing.');
  return statement;
}

async function readAll({ stdin, stderr, signal }: CliProcess): Promise<string> {
  const input = stdin();
  if (input.isTTY) stderr.write('Enter one statement; Ctrl-D ends it.\n');
  const end = () => input.destroy();
  signal.addEventListener('abort', end, { once: true });
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of input as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > mostBytes) throw new UsageError(`A statement has at most ${mostBytes} bytes.`);
  }
  signal.throwIfAborted();
  return Buffer.concat(pieces).toString('utf8');
}

/** Returns the text of a value for a cell: numbers with every digit, texts without quotes, null as an empty text. */
function sqlCell(json: string): string {
  if (json === 'null') return '';
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}
