import type { EventRecordParser } from '#event';
import { RowBinaryWriter } from './row-binary.js';
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

  constructor(private readonly origin: RowBatchOrigin) {
    const columns = new RowBinaryWriter(256);
    columns.string(origin.stream);
    columns.uint16(origin.partition);
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
      this.origin,
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

/** The columns of the ClickHouse table `events`, in the order in which row batches encode them. */
export const eventColumns =
  'stream, partition, offset, event_id, event_type, entity_id, version, timestamp, ingested_at, ' +
  'schema_version, metadata, data';

/**
 * Writes all columns after the first two (stream, partition) of a parsed record. Strings are copied as bytes.
 * The version is written as 0 and set later.
 */
function writeEventColumns(out: RowBinaryWriter, record: EventRecordParser, offset: number): void {
  out.int64(offset);
  out.uuidWords(record.id);
  out.utf8(record.eventType);
  out.utf8(record.entityId);
  out.int64(0);
  out.int64(record.timestamp);
  out.int64(record.ingestedAt);
  out.uint32(record.schemaVersion);
  out.utf8(record.metadata);
  out.utf8(record.data);
}
