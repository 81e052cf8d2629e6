import type { DefinitionChangeRecord } from './definition-change-record.js';

/**
 * A record of the definitions topic that no later tombstone has deleted, with the sub-record that it contains. The record
 * of a removal is one too; it has no sub-record.
 */
export interface StoredDefinitionRecord<P> extends Pick<
  DefinitionChangeRecord,
  'slot' | 'revision' | 'keeps' | 'changed_at' | 'changed_by'
> {
  key: string;
  /** The sub-record that was read from the record; undefined for a removal. */
  part: P | undefined;
  /** Bytes of the record's value. */
  bytes: number;
}

/**
 * The records of one definition in the definitions topic, in offset order, and which of them are current. The current
 * record is the one with the highest revision; of several with that revision, it is the first. The sub-records that the
 * current record names in `keeps` are current too. Compaction does not change the result: the current record is never
 * tombstoned. Every record before it has a lower revision, because a process writes at most the next revision.
 */
export class DefinitionRecordHistory<P> {
  /** Records of the definition by key, in the order of the log. */
  private readonly records = new Map<string, StoredDefinitionRecord<P>>();
  /** The current record of the definition. */
  head: StoredDefinitionRecord<P> | undefined;
  /** Bytes of all records, including those that are not current. */
  bytes = 0;

  /** Adds a record of the definition. Returns true if that record is now the current one. */
  add(record: StoredDefinitionRecord<P>): boolean {
    this.remove(record.key);
    this.records.set(record.key, record);
    this.bytes += record.bytes;
    if (this.head && record.revision <= this.head.revision) return false;
    this.head = record;
    return true;
  }

  /**
   * Removes the record with this key, for which a tombstone was read. Returns true if a current record was removed, so
   * that the definition has changed.
   */
  remove(key: string): boolean {
    const record = this.records.get(key);
    if (!record) return false;
    const held = this.holds(record);
    this.records.delete(key);
    this.bytes -= record.bytes;
    if (record === this.head) this.head = this.firstOfHighest();
    return held;
  }

  private holds(record: StoredDefinitionRecord<P>): boolean {
    if (record === this.head || record.revision === this.head?.keeps[record.slot])
      return this.live().includes(record);
    return false;
  }

  private firstOfHighest(): StoredDefinitionRecord<P> | undefined {
    let head: StoredDefinitionRecord<P> | undefined;
    for (const record of this.records.values()) {
      if (!head || record.revision > head.revision) head = record;
    }
    return head;
  }

  /**
   * Returns the current records, the one with the highest revision last; an empty list if the definition is removed.
   */
  live(): StoredDefinitionRecord<P>[] {
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

  /** Returns the `keeps` of a change of this slot: the revisions of the other current sub-records. */
  keptBeside(slot: string): Record<string, number> {
    const others = this.live().filter((record) => record.slot !== slot);
    return Object.fromEntries(others.map((record) => [record.slot, record.revision]));
  }

  /** Returns whether the definition has a current sub-record in this slot. */
  has(slot: string): boolean {
    return this.live().some((record) => record.slot === slot);
  }

  /** Returns the keys of the definition's records that are not current. */
  superseded(): string[] {
    const live = new Set(this.live().map(({ key }) => key));
    if (this.head) live.add(this.head.key);
    return [...this.records.keys()].filter((key) => !live.has(key));
  }

  get empty(): boolean {
    return this.records.size === 0;
  }
}
