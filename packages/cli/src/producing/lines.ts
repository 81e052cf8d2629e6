import type { Readable } from 'node:stream';
import { UsageError } from '../errors/cli-error.js';

/** Characters of a line at most: more than any event may have. */
const longest = 16 * 1024 * 1024;

/** The lines of a stream of UTF-8, without their ends. @throws UsageError for a line that is too long */
export async function* linesOf(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    if (rest.length > longest) throw new UsageError(`A line is longer than ${longest} characters.`);
    yield* lines.map(withoutReturn);
  }
  rest += decoder.decode();
  if (rest !== '') yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
