import { EventRecordParser, uuidText } from '#event';
import type { ConsumerRecord, RecordBatch } from '#kafka';
import { EventRowBatch } from '#store';

const parser = new EventRecordParser();
/** Estimated bytes of the id of a record that is no row, in memory. */
const idBytes = 150;

/** What the log has in an offset range of one partition: the events that must be rows, and the ids of all records. */
export class LogRange {
  private readonly batches: EventRowBatch[] = [];
  private readonly undecodable: { offset: number; lastOffset: number }[] = [];
  /** Ids of the records that must not be rows, by offset: repeated, refused, or of an erased entity. */
  private readonly others = new Map<number, string>();
  private size = 0;
  private following: number;
  /** Number of records that were read. */
  records = 0;

  constructor(readonly from: number) {
    this.following = from;
  }

  /** The offset after the range. */
  get next(): number {
    return this.following;
  }

  /** Estimated bytes in memory. */
  get bytes(): number {
    return this.size + this.others.size * idBytes;
  }

  /** Adds a batch of records, and the rows that the records of the batch become. */
  add(
    { records, undecodable = [] }: Pick<RecordBatch, 'records' | 'undecodable'>,
    rows: EventRowBatch,
    next: number,
  ): void {
    const own = records.filter(({ offset }) => offset >= this.from);
    this.records += own.length;
    this.batches.push(rows);
    this.size += rows.memory;
    this.undecodable.push(...undecodable);
    if (rows.count < own.length) this.addOthers(own, rows);
    this.following = Math.max(this.following, next);
  }

  /** Returns the events that must be rows, after `earlier` ones. */
  rowsAfter(earlier: readonly EventRowBatch[]): EventRowBatch | undefined {
    const all = [...earlier, ...this.batches];
    return all.length === 0 ? undefined : EventRowBatch.join(all);
  }

  /** Returns whether the log has this event in a record that must not be a row, or whether that cannot be read. */
  mayHave(offset: number, eventId: string): boolean {
    if (this.others.get(offset) === eventId) return true;
    return this.undecodable.some((one) => one.offset <= offset && offset <= one.lastOffset);
  }

  private addOthers(records: readonly ConsumerRecord[], rows: EventRowBatch): void {
    let row = 0;
    for (const { offset, value } of records) {
      while (row < rows.count && rows.offsetOf(row) < offset) row++;
      if (row < rows.count && rows.offsetOf(row) === offset) continue;
      if (value !== null && parser.readIfEvent(value)) this.others.set(offset, uuidText(parser.id));
    }
  }
}
