import { Readable } from 'node:stream';
import type { EventFileExportQuery, EventFileExporter } from './event-file-exporter.js';

/** In-memory fake of `EventFileExporter`: records each query, and answers with fixed bytes. */
export class FakeEventFileExporter implements Pick<EventFileExporter, 'open' | 'close'> {
  readonly asked: EventFileExportQuery[] = [];
  bytes: Buffer = Buffer.from('PAR1 rows PAR1');

  open(query: EventFileExportQuery): Promise<Readable> {
    this.asked.push(query);
    return Promise.resolve(Readable.from([this.bytes], { objectMode: false }));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
