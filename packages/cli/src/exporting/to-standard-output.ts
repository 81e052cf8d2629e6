import { printableLines } from '../output/printable.js';
import type { CommandSession } from '../session.js';

/** Writes bytes as they arrive. On a terminal, control characters are escaped. */
export async function toStandardOutput(
  bytes: ReadableStream<Uint8Array>,
  { output, terminal }: CommandSession,
): Promise<void> {
  const decoder = new TextDecoder();
  for await (const piece of bytes)
    await output.write(
      terminal.stdout.isTTY ? printableLines(decoder.decode(piece, { stream: true })) : piece,
    );
}
