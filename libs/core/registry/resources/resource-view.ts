import type { ConsumerRecord } from '#kafka';
import { DefinitionRecordHistory, type StoredDefinitionRecord } from './definition-record-history.js';
import { readRecord, type DefinitionRecordKey } from './definition-change-record.js';
import type { ResourceRules } from './resource-kind.js';

/** What the record of a change has done to its definition, once the view has applied it. */
export interface DefinitionWriteOutcome<T> {
  /** True if the record became the current one; false if another record has the same or a higher revision before it. */
  won: boolean;
  before: T | undefined;
  /** The definition's current record before this change, which may be a removal; undefined if there was none. */
  previous: Pick<StoredDefinitionRecord<unknown>, 'revision' | 'changed_at' | 'changed_by'> | undefined;
  after: T | undefined;
  /** Keys of the definition's records that are no longer current, for which tombstones can be written. */
  superseded: string[];
}

/**
 * The materialized view of one kind of definition, such as all streams, built from the records of the definitions
 * topic.
 */
export class ResourceView<T, P = T> {
  private readonly entries = new Map<string, DefinitionRecordHistory<P>>();
  private readonly byName = new Map<string, DefinitionRecordHistory<P>>();
  /**
   * Composed definitions, on first use, so that a definition with many records is not composed once for each record.
   */
  private readonly values = new Map<DefinitionRecordHistory<P>, T>();
  /** Time of each removal in milliseconds, by identity, the first removal first. */
  private readonly removed = new Map<string, number>();
  private heldBytes = 0;
  private readonly watched = new Map<string, (outcome: DefinitionWriteOutcome<T>) => void>();

  constructor(readonly rules: ResourceRules<T, P>) {}

  get(name: string): T | undefined {
    return this.valueOf(this.byName.get(name));
  }

  all(): T[] {
    return [...this.byName.values()].map((entry) => this.valueOf(entry) as T);
  }

  get size(): number {
    return this.byName.size;
  }

  /**
   * Bytes of all records of this kind of definition in the definitions topic, including superseded ones that are not
   * tombstoned.
   */
  get bytes(): number {
    return this.heldBytes;
  }

  /** Returns the current definition of an identity, and its records. */
  held(identity: string): { value: T | undefined; entry: DefinitionRecordHistory<P> | undefined } {
    const entry = this.entries.get(identity);
    return { value: this.valueOf(entry), entry };
  }

  private valueOf(entry: DefinitionRecordHistory<P> | undefined): T | undefined {
    if (entry?.head?.part === undefined) return undefined;
    let value = this.values.get(entry);
    if (value === undefined) {
      value = this.rules.compose(entry.live().map(({ part }) => part as P));
      this.values.set(entry, value);
    }
    return value;
  }

  /** Calls `settle` when the record with this key has been applied. Returns a function that ends the watch. */
  watch(key: string, settle: (outcome: DefinitionWriteOutcome<T>) => void): () => void {
    this.watched.set(key, settle);
    return () => this.watched.delete(key);
  }

  /**
   * Applies one record or tombstone of the definitions topic. Returns true if a definition has changed.
   * @throws UnreadableDefinitionError
   */
  apply({ key: bytes, value, timestamp }: ConsumerRecord, key: DefinitionRecordKey): boolean {
    const text = String(bytes);
    if (value === null) return this.tombstone(text, key.identity);
    const { body, ...record } = readRecord(key, value);
    const part = body && this.rules.read(key.identity, { slot: key.slot, body });
    const entry = this.entries.get(key.identity) ?? new DefinitionRecordHistory<P>();
    this.entries.set(key.identity, entry);
    const settle = this.watched.get(text);
    const [before, previous] = [settle && this.valueOf(entry), entry.head];
    const won = this.update(key.identity, timestamp, () =>
      entry.add({ ...record, key: text, part, bytes: value.length }),
    );
    settle?.({ won, before, previous, after: this.valueOf(entry), superseded: entry.superseded() });
    return won;
  }

  private tombstone(text: string, identity: string): boolean {
    const entry = this.entries.get(identity);
    if (!entry) return false;
    return this.update(identity, this.removed.get(identity) ?? 0, () => entry.remove(text));
  }

  /**
   * Runs `work`, which changes the records of one definition, and updates the view's indexes by name, by size and by
   * time of removal.
   */
  private update(identity: string, timestamp: number, work: () => boolean): boolean {
    const entry = this.entries.get(identity) as DefinitionRecordHistory<P>;
    const [bytes, before] = [entry.bytes, entry.head?.part];
    const changed = work();
    this.heldBytes += entry.bytes - bytes;
    if (entry.empty) this.entries.delete(identity);
    if (!changed && !entry.empty) return false;
    this.values.delete(entry);
    const after = entry.head?.part;
    const [old, name] = [before, after].map((part) => part && this.rules.nameOf(part));
    if (old !== undefined && old !== name) this.byName.delete(old);
    if (name !== undefined) this.byName.set(name, entry);
    this.removed.delete(identity);
    if (entry.head && after === undefined) this.removed.set(identity, timestamp);
    return changed;
  }

  /**
   * Returns the keys of all records of definitions that were removed before `time` (milliseconds). The list ends after the
   * definition with which `most` keys are reached.
   */
  removedBefore(time: number, most: number): string[] {
    const old: string[] = [];
    for (const [identity, at] of this.removed) {
      if (at >= time || old.length >= most) break;
      const entry = this.entries.get(identity);
      if (entry?.head) old.push(...entry.superseded(), entry.head.key);
    }
    return old;
  }
}
