import { UsageError } from '../errors/cli-error.js';
import type { CliProcess } from '../terminal.js';

/** The maximum size of a statement that the server accepts. */
const mostBytes = 256 * 1024;

/** Returns the statement: the argument, or all of standard input. @throws UsageError */
export async function statementOf(word: string | undefined, terminal: CliProcess): Promise<string> {
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
