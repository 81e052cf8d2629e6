import { uuidText } from '#event';
import type { EventRow } from './event-row.js';

/** The stream (by its id) and the partition to which all rows of an `EventRowBatch` belong. */
export interface RowBatchOrigin {
  readonly stream: string;
  readonly partition: number;
}

/**
 * A batch of rows for the ClickHouse table `events`, all of one partition and in offset order, in the RowBinary format.
 * Rows are encoded once, directly from the bytes of a Kafka record, without objects or text in between. Row indexes
 * start at 0.
 */
export class EventRowBatch {
  /**
   * @param bytes The encoded rows, one after the other.
   * @param starts The byte offset at which each row begins, relative to the first row, then the offset at
   * which the last row ends.
   */
  constructor(
    readonly origin: RowBatchOrigin,
    readonly bytes: Buffer,
    private readonly starts: Uint32Array,
  ) {}

  /** Joins batches of the same partition, at least one, in the given order. */
  static join(parts: readonly EventRowBatch[]): EventRowBatch {
    const [first] = parts;
    if (!first) throw new RangeError('no row batches to join');
    if (parts.length === 1) return first;
    const count = parts.reduce((sum, part) => sum + part.count, 0);
    const starts = new Uint32Array(count + 1);
    let [rows, bytes] = [0, 0];
    for (const part of parts) {
      for (let row = 0; row <= part.count; row++) starts[rows + row] = bytes + part.starts[row]!;
      rows += part.count;
      bytes += part.bytes.length;
    }
    return new EventRowBatch(first.origin, Buffer.concat(parts.map((part) => part.bytes)), starts);
  }

  get count(): number {
    return this.starts.length - 1;
  }

  /** Bytes of memory that the batch occupies. */
  get memory(): number {
    return this.bytes.length + this.starts.byteLength;
  }

  offsetOf(row: number): number {
    return this.readerAt(row).offset;
  }

  /** The event id as a UUID in lower case. */
  eventIdOf(row: number): string {
    return this.readerAt(row).eventId;
  }

  /** The entity id; null for an event without an entity. */
  entityOf(row: number): string | null {
    return this.readerAt(row).entityId;
  }

  versionOf(row: number): number {
    return this.readerAt(row).version;
  }

  row(row: number): EventRow {
    return this.readerAt(row).row(this.starts[row]!);
  }

  rows(): EventRow[] {
    return Array.from({ length: this.count }, (_, row) => this.row(row));
  }

  setVersion(row: number, version: number): void {
    this.readerAt(row).version = version;
  }

  /**
   * Returns a batch with the rows from index `from` up to, but not including, `until`. The returned batch shares its
   * bytes with this batch.
   */
  slice(from: number, until: number): EventRowBatch {
    const { starts, bytes } = this;
    const first = starts[from]!;
    const own = starts.slice(from, until + 1).map((start) => start - first);
    return new EventRowBatch(this.origin, bytes.subarray(first, starts[until]), own);
  }

  /** Returns a batch without the rows whose indexes are in `left`. */
  without(left: ReadonlySet<number>): EventRowBatch {
    if (left.size === 0) return this;
    const { bytes, starts } = this;
    const kept = Array.from({ length: this.count }, (_, row) => row).filter((row) => !left.has(row));
    const ends = new Uint32Array(kept.length + 1);
    for (const [i, row] of kept.entries()) ends[i + 1] = ends[i]! + starts[row + 1]! - starts[row]!;
    const parts = kept.map((row) => bytes.subarray(starts[row], starts[row + 1]));
    return new EventRowBatch(this.origin, Buffer.concat(parts), ends);
  }

  /**
   * Lowers by one the version of each later event of an entity. The caller uses this after it discards the
   * entity's event at offset `after`.
   */
  lowerVersions(entityId: string, after: number): void {
    for (let row = this.count - 1; row >= 0; row--) {
      const reader = this.readerAt(row);
      if (reader.offset <= after) return;
      if (reader.entityId === entityId) reader.version -= 1;
    }
  }

  private readerAt(row: number): EncodedEventRow {
    return new EncodedEventRow(this.bytes, this.starts[row]!);
  }
}

/**
 * Reads the columns of one encoded row (RowBinary) of the ClickHouse table `events`, and changes its version in place.
 */
export class EncodedEventRow {
  /** Byte offset of the partition column. From there to the event type, all columns have a fixed size. */
  private readonly fixed: number;

  constructor(
    private readonly bytes: Buffer,
    start: number,
  ) {
    this.fixed = endOfString(bytes, start);
  }

  get offset(): number {
    return this.int64(this.fixed + 2);
  }

  /** The event id as a UUID in lower case. */
  get eventId(): string {
    const { bytes } = this;
    const at = this.fixed + 10;
    const words = Uint32Array.of(
      bytes.readUInt32LE(at + 4),
      bytes.readUInt32LE(at),
      bytes.readUInt32LE(at + 12),
      bytes.readUInt32LE(at + 8),
    );
    return uuidText(words);
  }

  get entityId(): string | null {
    const id = this.string(endOfString(this.bytes, this.fixed + 26));
    return id === '' ? null : id;
  }

  get version(): number {
    return this.int64(this.versionAt);
  }

  set version(version: number) {
    const { bytes, versionAt } = this;
    const high = Math.floor(version / 0x1_0000_0000);
    bytes.writeUInt32LE(version - high * 0x1_0000_0000, versionAt);
    bytes.writeUInt32LE(high, versionAt + 4);
  }

  row(start: number): EventRow {
    const { bytes, fixed, versionAt } = this;
    const metadataAt = versionAt + 28;
    const schemaVersion = bytes.readUInt32LE(versionAt + 24);
    return {
      stream: this.string(start),
      partition: bytes.readUInt16LE(fixed),
      offset: this.offset,
      event_id: this.eventId,
      event_type: this.string(fixed + 26),
      entity_id: this.entityId,
      version: this.version === 0 ? null : this.version,
      timestamp: this.int64(versionAt + 8),
      ingested_at: this.int64(versionAt + 16),
      schema_version: schemaVersion === 0 ? null : schemaVersion,
      metadata: this.string(metadataAt),
      data: this.string(endOfString(bytes, metadataAt)),
    };
  }

  private get versionAt(): number {
    return endOfString(this.bytes, endOfString(this.bytes, this.fixed + 26));
  }

  private string(at: number): string {
    const end = endOfString(this.bytes, at);
    return this.bytes.toString('utf8', end - stringLength(this.bytes, at), end);
  }

  private int64(at: number): number {
    return this.bytes.readInt32LE(at + 4) * 0x1_0000_0000 + this.bytes.readUInt32LE(at);
  }
}

function stringLength(bytes: Buffer, start: number): number {
  let length = 0;
  for (let i = start, scale = 1; ; i++, scale *= 0x80) {
    length += (bytes[i]! & 0x7f) * scale;
    if (bytes[i]! < 0x80) return length;
  }
}

function endOfString(bytes: Buffer, start: number): number {
  let length = 0;
  for (let i = start, scale = 1; ; i++, scale *= 0x80) {
    const byte = bytes[i]!;
    length += (byte & 0x7f) * scale;
    if (byte < 0x80) return i + 1 + length;
  }
}
