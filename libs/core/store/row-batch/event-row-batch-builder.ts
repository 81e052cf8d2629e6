import type { EventRecordParser } from '#event';
import { RowBinaryWriter } from './row-binary.js';
import { writeEventColumns } from './event-columns.js';
import { EventRowBatch, type RowBatchOrigin } from './event-row-batch.js';

/**
 * The buffer that all row batch builders of the process share: building a row batch is synchronous, so two builds never
 * overlap.
 */
const sharedWriter = new RowBinaryWriter();

/**
 * Builds row batches of one stream partition from Kafka records, for inserts into ClickHouse. All builders share one
 * buffer, so the caller must not await anything between `begin` and `finish`.
 */
export class EventRowBatchBuilder {
  /** The encoded first two columns (stream, partition); they are the same in every row of the batch. */
  private readonly columns: Buffer;
  private starts = new Uint32Array(1024);
  private count = 0;

  constructor(private readonly place: RowBatchOrigin) {
    const columns = new RowBinaryWriter(256);
    columns.string(place.stream);
    columns.uint16(place.partition);
    this.columns = columns.bytes();
  }

  begin(): void {
    sharedWriter.reset();
    this.count = 0;
  }

  /**
   * Appends the Kafka record that `record` has parsed last, as a row. The version in the row is 0 until
   * `EventRowBatch.setVersion` sets it.
   */
  add(record: EventRecordParser, offset: number): void {
    if (this.count + 1 >= this.starts.length) this.grow();
    this.starts[this.count++] = sharedWriter.size;
    sharedWriter.raw(this.columns);
    writeEventColumns(sharedWriter, record, offset);
  }

  finish(): EventRowBatch {
    this.starts[this.count] = sharedWriter.size;
    return new EventRowBatch(
      this.place,
      Buffer.from(sharedWriter.bytes()),
      this.starts.slice(0, this.count + 1),
    );
  }

  private grow(): void {
    const starts = new Uint32Array(this.starts.length * 2);
    starts.set(this.starts);
    this.starts = starts;
  }
}
