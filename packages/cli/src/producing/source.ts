import { createReadStream, fstatSync, statSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { UsageError } from '../errors/cli-error.js';
import type { CliProcess } from '../terminal.js';

/** The file or pipe from which `tributary produce` reads events. */
export interface ProduceInput {
  stream: Readable;
  /** The size of the file in bytes; undefined for a pipe. */
  bytes: number | undefined;
}

/** Opens a file, or standard input. @throws UsageError */
export function openSource(file: string | undefined, { stdin, stderr }: CliProcess): ProduceInput {
  if (file === undefined || file === '-') {
    const stream = stdin();
    if (stream.isTTY) stderr.write('One JSON object per line; Ctrl-D ends the input.\n');
    return { stream, bytes: sizeOf(() => fstatSync(stream.fd ?? 0)) };
  }
  const bytes = sizeOf(() => statSync(file));
  if (bytes === undefined) throw new UsageError(`${file} is not a readable file.`);
  return { stream: createReadStream(file), bytes };
}

function sizeOf(stat: () => Stats): number | undefined {
  try {
    const found = stat();
    return found.isFile() ? found.size : undefined;
  } catch {
    return undefined;
  }
}
