import type { DefinitionChangeRecord } from './definition-change-record.js';

/** A record of the definitions topic, perhaps that of a removal, which no later tombstone has deleted. */
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
  latest: StoredDefinitionRecord<P> | undefined;
  /** Bytes of all records, including those that are not current. */
  bytes = 0;

  /** Adds a record of the definition. Returns true if that record is now the current one. */
  add(record: StoredDefinitionRecord<P>): boolean {
    this.remove(record.key);
    this.records.set(record.key, record);
    this.bytes += record.bytes;
    if (this.latest && record.revision <= this.latest.revision) return false;
    this.latest = record;
    return true;
  }

  /** Removes the record of a tombstone. Returns true if it was a current record: the definition has changed. */
  remove(key: string): boolean {
    const record = this.records.get(key);
    if (!record) return false;
    const changed = this.isCurrent(record);
    this.records.delete(key);
    this.bytes -= record.bytes;
    if (record === this.latest) this.latest = this.firstOfHighest();
    return changed;
  }

  private isCurrent(record: StoredDefinitionRecord<P>): boolean {
    const { latest } = this;
    return (
      (record === latest || record.revision === latest?.keeps[record.slot]) && this.live().includes(record)
    );
  }

  private firstOfHighest(): StoredDefinitionRecord<P> | undefined {
    let latest: StoredDefinitionRecord<P> | undefined;
    for (const record of this.records.values()) {
      if (!latest || record.revision > latest.revision) latest = record;
    }
    return latest;
  }

  /** Returns the current records, the one with the highest revision last; none if the definition is removed. */
  live(): StoredDefinitionRecord<P>[] {
    const { latest } = this;
    if (!latest || latest.part === undefined) return [];
    const missing = { ...latest.keeps };
    const kept = [...this.records.values()].filter((record) => {
      if (record === latest || record.part === undefined || missing[record.slot] !== record.revision)
        return false;
      delete missing[record.slot];
      return true;
    });
    return [...kept, latest];
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
    if (this.latest) live.add(this.latest.key);
    return [...this.records.keys()].filter((key) => !live.has(key));
  }

  get empty(): boolean {
    return this.records.size === 0;
  }
}
