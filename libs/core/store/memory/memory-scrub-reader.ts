import type { OffsetRange } from '../log-order.js';
import type {
  KnownVersion,
  KnownVersionsQuery,
  RememberedOffsets,
  ScrubbedEvent,
  ScrubbedOffsets,
  ScrubReader,
} from '../scrub-reader.js';
import type { EventRow } from '../store.js';
import type { MemoryTables } from './memory-tables.js';

/** In-memory fake of what the scrub reads, for specs. A row of the in-memory store is always complete. */
export class MemoryScrubReader implements ScrubReader {
  constructor(private readonly tables: MemoryTables) {}

  /** Returns none: the in-memory store has one row for both tables. */
  async unequalRanges(): Promise<ScrubbedOffsets[]> {
    return [];
  }

  async eventsIn(range: OffsetRange): Promise<ScrubbedEvent[]> {
    return this.rowsOf(range)
      .filter(({ offset }) => isIn(range, offset))
      .map(({ offset, event_id }) => ({ offset, event_id, complete: true }));
  }

  async rememberedOffsets(range: OffsetRange): Promise<RememberedOffsets> {
    const { stream, partition } = range;
    const deadLetters = this.tables
      .letters()
      .filter((one) => one.source === 'materializer' && one.stream === stream && one.partition === partition);
    const within = (offsets: Iterable<number>) => [...offsets].filter((offset) => isIn(range, offset));
    return {
      stored: within(this.tables.storedOffsets(stream, partition)),
      removed: within(this.tables.removedOffsets(stream, partition)),
      deadLetters: within(deadLetters.map(({ offset }) => offset)),
    };
  }

  async firstRemovedOffset(stream: string, partition: number): Promise<number | undefined> {
    const removed = this.tables.removedOffsets(stream, partition);
    return removed.size === 0 ? undefined : Math.min(...removed);
  }

  async knownVersions({ entityIds, ...range }: KnownVersionsQuery): Promise<KnownVersion[]> {
    const rows = this.rowsOf(range);
    return entityIds.flatMap((entity_id) => {
      const own = rows.filter((row) => row.entity_id === entity_id);
      const known = [
        ...own.filter(({ offset }) => offset < range.from).slice(-1),
        ...own.filter(({ offset }) => isIn(range, offset)),
        ...own.filter(({ offset }) => offset >= range.until).slice(0, 1),
      ].map((row): KnownVersion => ({
        ...{ entity_id, offset: row.offset, version: row.version ?? 0, event_id: row.event_id },
      }));
      const heads = this.tables
        .heads()
        .filter((head) => head.entity_id === entity_id && isOf(range, head))
        .map(({ last_offset: offset, version }) => ({ entity_id, offset, version, event_id: null }));
      return [...known, ...heads];
    });
  }

  private rowsOf(range: OffsetRange): EventRow[] {
    return this.tables
      .events()
      .filter((row) => isOf(range, row))
      .sort((a, b) => a.offset - b.offset);
  }
}

function isOf(range: OffsetRange, { stream, partition }: { stream: string; partition: number }): boolean {
  return stream === range.stream && partition === range.partition;
}

function isIn({ from, until }: OffsetRange, offset: number): boolean {
  return offset >= from && offset < until;
}
