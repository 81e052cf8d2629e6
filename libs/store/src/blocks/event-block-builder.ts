import type { RecordReader } from '#event';
import { RowBinaryWriter } from './row-binary.js';
import { writeRecord } from './event-columns.js';
import { EventBlock, type BlockPlace } from './event-block.js';

/** One for all builders: a block is made without waiting. */
const out = new RowBinaryWriter();

/** Makes blocks of records. From `begin` to `finish` nothing else may be awaited. */
export class EventBlockBuilder {
  /** The first two, which are the same for all rows. */
  private readonly columns: Buffer;
  private starts = new Uint32Array(1024);
  private count = 0;

  constructor(private readonly place: BlockPlace) {
    const columns = new RowBinaryWriter(256);
    columns.string(place.stream);
    columns.uint16(place.partition);
    this.columns = columns.bytes();
  }

  begin(): void {
    out.reset();
    this.count = 0;
  }

  /** Adds what `record` has read. The row has no version yet. */
  add(record: RecordReader, offset: number): void {
    if (this.count + 1 >= this.starts.length) this.grow();
    this.starts[this.count++] = out.size;
    out.raw(this.columns);
    writeRecord(out, record, offset);
  }

  finish(): EventBlock {
    this.starts[this.count] = out.size;
    return new EventBlock(this.place, Buffer.from(out.bytes()), this.starts.slice(0, this.count + 1));
  }

  private grow(): void {
    const starts = new Uint32Array(this.starts.length * 2);
    starts.set(this.starts);
    this.starts = starts;
  }
}
