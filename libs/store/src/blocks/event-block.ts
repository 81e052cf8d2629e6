import type { EventRow } from './event-row.js';
import { RowReader } from './row-reader.js';

/** Of which stream's partition the rows are. */
export interface BlockPlace {
  readonly stream: string;
  readonly partition: number;
}

/**
 * Rows of one partition, in offset order, in the form in which ClickHouse takes them (RowBinary): they are made of a
 * record's bytes once, and are neither objects nor text in between. Rows are numbered from 0.
 */
export class EventBlock {
  /**
   * @param bytes The rows, one after the other.
   * @param starts Where each row begins, and where the last one ends, counted from the first of them.
   */
  constructor(
    readonly place: BlockPlace,
    readonly bytes: Buffer,
    private readonly starts: Uint32Array,
  ) {}

  get count(): number {
    return this.starts.length - 1;
  }

  /** Bytes that it holds. */
  get memory(): number {
    return this.bytes.length + this.starts.byteLength;
  }

  offsetOf(row: number): number {
    return this.readerAt(row).offset;
  }

  /** In lower case. */
  eventIdOf(row: number): string {
    return this.readerAt(row).eventId;
  }

  /** null without an entity. */
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

  /** Some of the rows; they share their bytes with these. */
  slice(from: number, until: number): EventBlock {
    const { starts, bytes } = this;
    const first = starts[from]!;
    const own = starts.slice(from, until + 1).map((start) => start - first);
    return new EventBlock(this.place, bytes.subarray(first, starts[until]), own);
  }

  /** The rows that are not among these. */
  without(left: ReadonlySet<number>): EventBlock {
    if (left.size === 0) return this;
    const { bytes, starts } = this;
    const kept = Array.from({ length: this.count }, (_, row) => row).filter((row) => !left.has(row));
    const ends = new Uint32Array(kept.length + 1);
    for (const [i, row] of kept.entries()) ends[i + 1] = ends[i]! + starts[row + 1]! - starts[row]!;
    const parts = kept.map((row) => bytes.subarray(starts[row], starts[row + 1]));
    return new EventBlock(this.place, Buffer.concat(parts), ends);
  }

  /** For an event that does not count: the versions of the same entity's later events are one less. */
  lowerVersions(entityId: string, after: number): void {
    for (let row = this.count - 1; row >= 0; row--) {
      const reader = this.readerAt(row);
      if (reader.offset <= after) return;
      if (reader.entityId === entityId) reader.version -= 1;
    }
  }

  private readerAt(row: number): RowReader {
    return new RowReader(this.bytes, this.starts[row]!);
  }
}
