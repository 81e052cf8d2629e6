import { open, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { UsageError } from '../errors/cli-error.js';

/**
 * Writes a file atomically: until it is complete, its bytes are in a temporary file beside it, which is removed if
 * the export fails. Resolves with the number of bytes.
 * @throws UsageError if the file cannot be written, and the error of `bytes`
 */
export async function toFile(bytes: ReadableStream<Uint8Array>, file: string): Promise<number> {
  const draft = `${file}.${process.pid}.part`;
  try {
    const size = await fill(bytes, await open(draft, 'wx'));
    await rename(draft, file);
    return size;
  } catch (error) {
    await bytes.cancel().catch(() => undefined);
    await rm(draft, { force: true });
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new UsageError(`${file} cannot be written: ${error.message}`);
  }
}

async function fill(bytes: ReadableStream<Uint8Array>, handle: FileHandle): Promise<number> {
  try {
    await writeFile(handle, bytes);
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}
