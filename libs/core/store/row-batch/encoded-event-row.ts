import { uuidText } from '#event';
import type { EventRow } from './event-row.js';

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
