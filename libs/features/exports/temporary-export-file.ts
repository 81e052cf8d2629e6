import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ProblemError } from '#api';
import { StoreUnavailableError } from '#store';
import type { EventFileFormat } from './event-file-exporter.js';

/** The bytes with which every complete Parquet or Arrow file ends. */
const endings: Readonly<Record<EventFileFormat, string>> = { parquet: 'PAR1', arrow: 'ARROW1' };

/**
 * A complete export in a temporary file. The file has no name on disk, so the operating system deletes it when it is
 * closed or the process ends.
 */
export interface TemporaryExportFile {
  bytes: number;
  /** Reads the file from its beginning, and closes it at the end. */
  read(): Readable;
  close(): Promise<void>;
}

/**
 * Writes a Parquet or Arrow export to a temporary file and resolves when it is complete, because a cut-off file cannot
 * be read.
 * @throws ProblemError 422 `query_too_expensive` for a file that is too large
 * @throws StoreUnavailableError for an incomplete file
 */
export async function completeFile(
  source: Readable,
  { format, mostBytes }: { format: EventFileFormat; mostBytes: number },
): Promise<TemporaryExportFile> {
  const path = join(tmpdir(), `tributary-export-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  try {
    const bytes = await writeAll(source, handle, mostBytes);
    await requireEnding(handle, bytes, endings[format]);
    return { bytes, read: () => handle.createReadStream({ start: 0 }), close: () => handle.close() };
  } catch (error) {
    source.destroy();
    await handle.close();
    throw error;
  }
}

async function writeAll(source: Readable, handle: FileHandle, mostBytes: number): Promise<number> {
  let bytes = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      const limit = `${Math.floor(mostBytes / 1024 ** 2)} MiB`;
      const detail = `The file is larger than ${limit}. Narrow the range with since and until, or export NDJSON or CSV.`;
      throw new ProblemError('query_too_expensive', detail);
    }
    await handle.writeFile(chunk);
  }
  return bytes;
}

async function requireEnding(handle: FileHandle, bytes: number, ending: string): Promise<void> {
  const last = Buffer.alloc(ending.length);
  await handle.read(last, 0, last.length, Math.max(0, bytes - last.length));
  if (last.toString('latin1') !== ending)
    throw new StoreUnavailableError('ClickHouse did not complete the export');
}
