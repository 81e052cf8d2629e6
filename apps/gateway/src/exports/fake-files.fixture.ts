import { Readable } from 'node:stream';
import type { EventFileQuery, EventFiles } from '#store';

/** In-memory fake of `EventFiles`: records each query, and answers with fixed bytes. */
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
