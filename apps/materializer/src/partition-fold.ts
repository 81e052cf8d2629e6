import type { PartitionErasures } from '#engine';
import { decodeRefused, RecordReader, UnreadableRecordError, type RefusedRecord } from '#event';
import type { LogRecord } from '#log';
import { EventBlockBuilder, type EventBlock } from '#store';
import type { IdWindow } from '#dataflow';
import type { EntityHead, PartitionVersions } from './version-cache.js';

/** A record that is not an event. */
export interface Unreadable {
  record: LogRecord;
  error: string;
  /** What a write endpoint has refused and kept. */
  refused: RefusedRecord | undefined;
}

/** Records of a batch that become events, before they have their versions. */
export interface Admitted {
  rows: EventBlock;
  /** By row; null without an entity. */
  heads: (EntityHead | null)[];
  /** Entities whose version the store has to be asked for: set the heads' `version` before `number`. */
  unknown: Map<string, EntityHead>;
  unreadable: Unreadable[];
  duplicates: number;
  /** Records of erased entities, which are passed over. */
  erased: number;
}

type Found = Omit<Admitted, 'rows'>;

export interface PartitionFoldOptions {
  stream: string;
  partition: number;
  /** Records below it have been committed: they only fill the window. */
  position: number;
  window: IdWindow;
  versions: PartitionVersions;
  erasures: Pick<PartitionErasures, 'endOf'>;
}

/**
 * Turns the records of one partition, in their order, into rows. No I/O and no clock: the same log gives the same
 * rows, whoever reads it and wherever they started.
 */
export class PartitionFold {
  private following = -1;
  /** The first record of each batch that is not stored yet, by what the versions know of that. */
  private starts: { offset: number; timestamp: number }[] = [];

  private readonly rows: EventBlockBuilder;

  constructor(private readonly options: PartitionFoldOptions) {
    const { stream, partition } = options;
    this.rows = new EventBlockBuilder({ stream, partition });
  }

  /** Everything below this offset has been here; -1 before the first record. */
  get next(): number {
    return this.following;
  }

  /** There is nothing more below this offset: what lies between is not a record. */
  pass(next: number): void {
    this.following = Math.max(this.following, next);
  }

  /** Whether a batch that is not stored yet began with this record. Another topic of the same name has other records. */
  beganAt(offset: number, timestamp: number): boolean {
    return this.starts.some((start) => start.offset === offset && start.timestamp === timestamp);
  }

  /** Decodes, drops repeated ids, looks up the entities. Records that were here before are left out. */
  admit(records: readonly LogRecord[]): Admitted {
    const found: Found = { heads: [], unknown: new Map(), unreadable: [], duplicates: 0, erased: 0 };
    this.noteStart(records);
    this.rows.begin();
    for (const record of records) {
      if (record.offset < this.following) continue;
      this.following = record.offset + 1;
      this.admitOne(record, found);
    }
    return { ...found, rows: this.rows.finish() };
  }

  /** Counts the versions. Returns the rows that are not among those that the store has, by their number. */
  number({ rows, heads }: Admitted, stored: ReadonlySet<number>): EventBlock {
    for (let row = 0; row < heads.length; row++) {
      const head = heads[row];
      if (head) rows.setVersion(row, ++head.version);
    }
    return rows.without(stored);
  }

  private noteStart([first]: readonly LogRecord[]): void {
    const { versions, position } = this.options;
    this.starts = this.starts.filter(({ offset }) => offset >= versions.storedUpTo);
    if (!first || first.offset < Math.max(position, this.following)) return;
    this.starts.push({ offset: first.offset, timestamp: first.timestamp });
  }

  private admitOne(record: LogRecord, found: Found): void {
    const { window, position } = this.options;
    const error = read(record);
    const committed = record.offset < position;
    if (error !== undefined) {
      window.pass(record.offset, record.timestamp);
      if (!committed) this.admitUnreadable(record, error, found);
      return;
    }
    const repeated = window.repeatsWords(reader.id, record.offset, record.timestamp);
    if (committed) return;
    if (repeated) {
      found.duplicates++;
      return;
    }
    if (reader.entityId.isEmpty) {
      found.heads.push(null);
      return this.rows.add(reader, record.offset);
    }
    const entity = reader.entityId.toString();
    const erasedBelow = this.options.erasures.endOf(entity);
    if (record.offset < erasedBelow) {
      found.erased++;
      return;
    }
    found.heads.push(this.headOf(entity, { offset: record.offset, erasedBelow }, found));
    this.rows.add(reader, record.offset);
  }

  private admitUnreadable(record: LogRecord, error: string, found: Found): void {
    const refused = decodeRefused(record.value ?? '');
    const entity = refused?.entity_id ?? null;
    if (entity !== null && record.offset < this.options.erasures.endOf(entity)) found.erased++;
    else found.unreadable.push({ record, error, refused });
  }

  private headOf(
    entity: string,
    { offset, erasedBelow }: { offset: number; erasedBelow: number },
    { unknown }: Found,
  ): EntityHead {
    const { versions } = this.options;
    let head = versions.get(entity);
    // All that was counted has been erased since.
    if (head && head.offset < erasedBelow) head.version = 0;
    if (!head) {
      head = { version: 0, offset };
      versions.add(entity, head);
      unknown.set(entity, head);
    }
    head.offset = offset;
    return head;
  }
}

/** One for all partitions: what was read is used before anything else is. */
const reader = new RecordReader();

/** Why the record is no event; undefined when `reader` has read one. */
function read({ value }: LogRecord): string | undefined {
  if (value === null) return 'the record has no value';
  try {
    reader.read(value);
    return undefined;
  } catch (error) {
    if (error instanceof UnreadableRecordError) return error.message;
    throw error;
  }
}
