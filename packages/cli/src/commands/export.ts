import type { ExportFormat } from '#client';
import type { ParsedArguments } from '../arguments/parsed-arguments.js';
import { UsageError } from '../errors/cli-error.js';
import { toFile } from '../exporting/to-file.js';
import { toStandardOutput } from '../exporting/to-standard-output.js';
import type { CommandSession } from '../session.js';
import type { Command } from './command.js';
import { filterOf, filterOptions, streamsPositional, waitOption } from './event-filter.js';

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
