import { createReadStream, fstatSync, statSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { isUtf8 } from 'node:buffer';
import { eventFromText, type NewEvent } from '#client';
import { UsageError } from '../errors/cli-error.js';
import type { CliProcess } from '../session/terminal.js';

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

/** The maximum length of a line in bytes: more than any event may have. */
const longest = 16 * 1024 * 1024;
const lineFeed = 0x0a;
const byteOrderMark = /^\uFEFF/;

/**
 * Yields the lines of a UTF-8 stream without their line ends. A line that is not UTF-8 would be stored with other
 * characters, so an error is yielded instead. @throws UsageError for a line that is too long
 */
export async function* linesOf(stream: Readable): AsyncGenerator<string | UsageError> {
  for await (const bytes of wholeLines(stream))
    for (const line of decoded(bytes))
      // Joined files leave their marks at the beginning of later lines.
      yield typeof line === 'string' ? line.replace(byteOrderMark, '') : line;
}

/** Yields pieces that end at the end of a line. */
async function* wholeLines(stream: Readable): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(lineFeed);
    if (end >= 0) {
      yield Buffer.concat([...rest, chunk.subarray(0, end)]);
      [rest, size] = [[], 0];
    }
    rest.push(chunk.subarray(end + 1));
    size += chunk.length - end - 1;
    if (size > longest) throw new UsageError(`A line is longer than ${longest} bytes.`);
  }
  if (size > 0) yield Buffer.concat(rest);
}

function decoded(bytes: Buffer): (string | UsageError)[] {
  if (isUtf8(bytes)) return bytes.toString('utf8').split('\n').map(withoutReturn);
  return lineBytes(bytes).map((line) => (isUtf8(line) ? withoutReturn(line.toString('utf8')) : notUtf8()));
}

function lineBytes(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let end; (end = bytes.indexOf(lineFeed, from)) >= 0; from = end + 1)
    lines.push(bytes.subarray(from, end));
  return [...lines, bytes.subarray(from)];
}

function notUtf8(): UsageError {
  return new UsageError(
    'The line is not UTF-8. Convert the input first, with `iconv -f LATIN1 -t UTF-8` for example.',
  );
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** Values for members that a line omits. */
interface LineDefaults {
  stream: string | undefined;
  event_type: string | undefined;
  expected_version?: number;
}

/** Parses an event from a line. @throws TributaryError, UsageError */
export function readLine(line: string, defaults: LineDefaults): NewEvent {
  const { stream, event_type, expected_version } = defaults;
  const event = eventFromText(line) as Partial<NewEvent> & { dataText: string };
  if (stream !== undefined && event.stream !== undefined && event.stream !== stream)
    throw new UsageError(`The event names the stream "${event.stream}", but the command names "${stream}".`);
  // The server refuses missing members with a precise error.
  return {
    ...event,
    stream: event.stream ?? stream,
    event_type: event.event_type ?? event_type,
    expected_version: event.expected_version ?? expected_version,
  } as NewEvent;
}
