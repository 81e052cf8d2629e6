import { isUtf8 } from 'node:buffer';
import { decodeRecord, UnreadableRecordError, type EventRecord } from '#contracts';
import type { LogRecord } from '#log';
import type { EventRow } from '#store';
import type { IdWindow } from '#streaming';
import type { EntityHead, PartitionVersions } from './version-cache.js';

/** A record that is not an event. */
export interface Unreadable {
  record: LogRecord;
  error: string;
}

/** Records of a batch that become events, before they have their versions. */
export interface Admitted {
  rows: EventRow[];
  /** By row; null without an entity. */
  heads: (EntityHead | null)[];
  /** Entities whose version the store has to be asked for: set the heads' `version` before `number`. */
  unknown: Map<string, EntityHead>;
  unreadable: Unreadable[];
  duplicates: number;
}

export interface PartitionFoldOptions {
  stream: string;
  partition: number;
  /** Records below it have been committed: they only fill the window. */
  position: number;
  window: IdWindow;
  versions: PartitionVersions;
}

/**
 * Turns the records of one partition, in their order, into rows. No I/O and no clock: the same log gives the same
 * rows, whoever reads it and wherever they started.
 */
export class PartitionFold {
  private following = -1;
  /** The first record of each batch that is not stored yet, by what the versions know of that. */
  private starts: { offset: number; timestamp: number }[] = [];

  constructor(private readonly options: PartitionFoldOptions) {}

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
    const admitted: Admitted = { rows: [], heads: [], unknown: new Map(), unreadable: [], duplicates: 0 };
    this.noteStart(records);
    for (const record of records) {
      if (record.offset < this.following) continue;
      this.following = record.offset + 1;
      this.admitOne(record, admitted);
    }
    return admitted;
  }

  /** Counts the versions. Returns the rows that are not among those that the store has. */
  number({ rows, heads }: Admitted, stored: ReadonlySet<EventRow>): EventRow[] {
    return rows.filter((row, i) => {
      const head = heads[i];
      if (head) row.version = ++head.version;
      return !stored.has(row);
    });
  }

  private noteStart([first]: readonly LogRecord[]): void {
    const { versions, position } = this.options;
    this.starts = this.starts.filter(({ offset }) => offset >= versions.storedUpTo);
    if (!first || first.offset < Math.max(position, this.following)) return;
    this.starts.push({ offset: first.offset, timestamp: first.timestamp });
  }

  private admitOne(record: LogRecord, admitted: Admitted): void {
    const { window, position, versions } = this.options;
    const event = read(record);
    const committed = record.offset < position;
    if (typeof event === 'string') {
      window.pass(record.offset, record.timestamp);
      if (!committed) admitted.unreadable.push({ record, error: event });
      return;
    }
    const repeated = window.repeats(event.event_id, record.offset, record.timestamp);
    if (committed) return;
    if (repeated) {
      admitted.duplicates++;
      return;
    }
    admitted.rows.push(this.rowOf(event, record.offset));
    if (event.entity_id === null) return void admitted.heads.push(null);
    let head = versions.get(event.entity_id);
    if (!head) {
      head = { version: 0, offset: record.offset };
      versions.add(event.entity_id, head);
      admitted.unknown.set(event.entity_id, head);
    }
    head.offset = record.offset;
    admitted.heads.push(head);
  }

  private rowOf(event: EventRecord, offset: number): EventRow {
    return {
      stream: this.options.stream,
      partition: this.options.partition,
      offset,
      event_id: event.event_id,
      event_type: event.event_type,
      entity_id: event.entity_id,
      version: null,
      timestamp: event.timestamp,
      ingested_at: event.ingested_at,
      schema_version: event.schema_version,
      metadata: event.metadata,
      data: event.data,
    };
  }
}

/** The event, or why there is none. */
function read({ value }: LogRecord): EventRecord | string {
  if (value === null) return 'the record has no value';
  if (!isUtf8(value)) return 'the value is not UTF-8';
  try {
    return decodeRecord(value.toString());
  } catch (error) {
    if (error instanceof UnreadableRecordError) return error.message;
    throw error;
  }
}
