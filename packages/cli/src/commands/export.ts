import type { ExportFormat } from '#client';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import type { ParsedArguments } from '../arguments/parse.js';
import { UsageError } from '../errors/cli-error.js';
import type { CommandSession } from '../session/session.js';
import type { Command } from './command.js';
import { filterOf, filterOptions, streamsPositional, waitOption } from './events.js';
import { printableLines } from '../output/formats.js';

const formats: readonly ExportFormat[] = ['parquet', 'arrow', 'ndjson', 'csv'];

export const exportEvents: Command = {
  name: 'export',
  summary: 'Exports all matching events as one file, to a file or standard output.',
  positionals: [streamsPositional],
  options: {
    ...filterOptions,
    format: { value: 'FORMAT', oneOf: formats, about: 'format of the file; default ndjson' },
    file: {
      ...{ value: 'FILE', completes: 'file' },
      about: 'target file, which is created only when it is complete; default: standard output',
    },
    'csv-safe': {
      about: 'in CSV, put an apostrophe before characters that could begin a spreadsheet formula',
    },
    ...waitOption,
  },
  details:
    '--format sets the format, so -o is refused. If the export fails on the way, the exit code is not 0.',
  effect: 'reads',
  async run(session, input) {
    const format = (input.text('format') ?? 'ndjson') as ExportFormat;
    refuse(session, input, format);
    const query = { ...filterOf(input), format, wait_for: input.texts('wait-for') };
    const { signal } = session;
    const client = await session.client();
    const csv_safe = input.flag('csv-safe') || undefined;
    const bytes = await client.export({ ...query, csv_safe }, { signal });
    const file = input.text('file');
    if (file === undefined) return toStandardOutput(bytes, session);
    session.report(`${await toFile(bytes, file)} bytes are in ${file}.`);
  },
};

/** Refuses options that contradict an export. @throws UsageError */
function refuse({ terminal }: CommandSession, input: ParsedArguments, format: ExportFormat): void {
  if (input.text('output') !== undefined)
    throw new UsageError('--format sets the format of an export; leave -o out.');
  const binary = format === 'parquet' || format === 'arrow';
  if (binary && input.text('file') === undefined && terminal.stdout.isTTY)
    throw new UsageError(`${format} is a binary format: write it to a file with --file, or to a pipe.`);
}

/**
 * Writes a file atomically: until it is complete, its bytes are in a temporary file beside it, which is removed if
 * the export fails. Resolves with the number of bytes.
 * @throws UsageError if the file cannot be written, and the error of `bytes`
 */
async function toFile(bytes: ReadableStream<Uint8Array>, file: string): Promise<number> {
  const draft = `${file}.${process.pid}.part`;
  try {
    await writeFile(draft, bytes, { flag: 'wx', flush: true });
    const { size } = await stat(draft);
    await rename(draft, file);
    return size;
  } catch (error) {
    await bytes.cancel().catch(() => undefined);
    await rm(draft, { force: true });
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new UsageError(`${file} cannot be written: ${error.message}`);
  }
}

/** Writes bytes as they arrive. On a terminal, control characters are escaped. */
async function toStandardOutput(
  bytes: ReadableStream<Uint8Array>,
  { output, terminal }: CommandSession,
): Promise<void> {
  const decoder = new TextDecoder();
  for await (const piece of bytes)
    await output.write(
      terminal.stdout.isTTY ? printableLines(decoder.decode(piece, { stream: true })) : piece,
    );
}
