import type { EventFilter, ExportFormat } from '#client';
import { client } from '../app/session.js';

interface Export {
  filter: EventFilter;
  format: ExportFormat;
  name: string;
}

/** Exports larger than this are for the command line: the browser holds the file until it is saved. */
const mostBytes = 256 * 1024 * 1024;

/** Reads an export to its end and saves it. An incomplete export is an error and saves nothing. */
export async function exportEvents({ filter, format, name }: Export): Promise<void> {
  const controller = new AbortController();
  const body = await client.value.export(
    { ...filter, format, ...(format === 'csv' && { csv_safe: true }) },
    { signal: controller.signal },
  );
  const pieces: BlobPart[] = [];
  let bytes = 0;
  for (const reader = body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes > mostBytes) {
      await reader.cancel();
      throw new Error('The export has more than 256 MiB. Use the command line: tributary export.');
    }
    pieces.push(value as BlobPart);
  }
  save(new Blob(pieces), `${name}.${format}`);
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
