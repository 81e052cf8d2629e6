import { Readable } from 'node:stream';
import type { EventFileQuery, EventFiles } from '#store';

/** Files without an engine: keeps what it is asked, and answers with these bytes. */
export class FakeFiles implements EventFiles {
  readonly asked: EventFileQuery[] = [];
  bytes: Buffer = Buffer.from('PAR1 rows PAR1');

  open(query: EventFileQuery): Promise<Readable> {
    this.asked.push(query);
    return Promise.resolve(Readable.from([this.bytes], { objectMode: false }));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
