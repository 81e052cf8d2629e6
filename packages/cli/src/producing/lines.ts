import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { UsageError } from '../errors/cli-error.js';

/** The maximum length of a line in bytes: more than any event may have. */
const longest = 16 * 1024 * 1024;
const lineFeed = 0x0a;
const byteOrderMark = /^\uFEFF/;

/**
 * Yields the lines of a UTF-8 stream without their line ends. A line that is not UTF-8 would be stored with other
 * characters, so an error is yielded instead.
 * @throws UsageError for a line that is too long
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
