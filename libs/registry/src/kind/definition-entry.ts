import type { DefinitionRecord } from './definition-record.js';

/** A record that stands in the topic, with what its kind has read from it. */
export interface HeldRecord<P> extends Pick<
  DefinitionRecord,
  'slot' | 'revision' | 'keeps' | 'changed_at' | 'changed_by'
> {
  key: string;
  /** undefined: a removal. */
  part: P | undefined;
  /** Of the record's value. */
  bytes: number;
}

/**
 * One definition: the records of it that stand in the topic, in the log's order, and which of them hold. The one with
 * the highest revision does, and of those with the same one the first; with it hold the slots that it keeps. Whatever
 * compaction has taken away, that is the same one: the record that holds is not tombstoned, and everything before it
 * has a lower revision, because nobody writes more than one above what the log holds.
 */
export class DefinitionEntry<P> {
  /** In the log's order. */
  private readonly records = new Map<string, HeldRecord<P>>();
  /** The record that holds. */
  head: HeldRecord<P> | undefined;
  /** Of all records, those that do not hold included. */
  bytes = 0;

  /** True when this record holds now. */
  add(record: HeldRecord<P>): boolean {
    this.remove(record.key);
    this.records.set(record.key, record);
    this.bytes += record.bytes;
    if (this.head && record.revision <= this.head.revision) return false;
    this.head = record;
    return true;
  }

  /** A tombstone. True when what holds is another one now: somebody has removed a record that did. */
  remove(key: string): boolean {
    const record = this.records.get(key);
    if (!record) return false;
    const held = this.holds(record);
    this.records.delete(key);
    this.bytes -= record.bytes;
    if (record === this.head) this.head = this.firstOfHighest();
    return held;
  }

  private holds(record: HeldRecord<P>): boolean {
    if (record === this.head || record.revision === this.head?.keeps[record.slot])
      return this.live().includes(record);
    return false;
  }

  private firstOfHighest(): HeldRecord<P> | undefined {
    let head: HeldRecord<P> | undefined;
    for (const record of this.records.values()) {
      if (!head || record.revision > head.revision) head = record;
    }
    return head;
  }

  /** The records that hold, the last change last. Empty when the definition is removed. */
  live(): HeldRecord<P>[] {
    const { head } = this;
    if (!head || head.part === undefined) return [];
    const missing = { ...head.keeps };
    const kept = [...this.records.values()].filter((record) => {
      if (record === head || record.part === undefined || missing[record.slot] !== record.revision)
        return false;
      delete missing[record.slot];
      return true;
    });
    return [...kept, head];
  }

  /** What a change of this slot keeps: the other slots that hold, each with its revision. */
  keptBeside(slot: string): Record<string, number> {
    const others = this.live().filter((record) => record.slot !== slot);
    return Object.fromEntries(others.map((record) => [record.slot, record.revision]));
  }

  /** Whether something holds in this slot. */
  has(slot: string): boolean {
    return this.live().some((record) => record.slot === slot);
  }

  /** Keys of records that do not hold any more, or never did. */
  superseded(): string[] {
    const live = new Set(this.live().map(({ key }) => key));
    if (this.head) live.add(this.head.key);
    return [...this.records.keys()].filter((key) => !live.has(key));
  }

  get empty(): boolean {
    return this.records.size === 0;
  }
}
