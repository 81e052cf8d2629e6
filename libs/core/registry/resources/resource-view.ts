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

/** The materialized view of one kind of definition, such as all streams, over the records of the topic. */
export class ResourceView<T, P = T> {
  private readonly histories = new Map<string, DefinitionRecordHistory<P>>();
  private readonly byName = new Map<string, DefinitionRecordHistory<P>>();
  /** Composed definitions, on first use: one with many records is not composed once for each record. */
  private readonly values = new Map<DefinitionRecordHistory<P>, T>();
  /** Time of each removal in milliseconds, by identity, the first removal first. */
  private readonly removed = new Map<string, number>();
  private readonly watched = new Map<string, (outcome: DefinitionWriteOutcome<T>) => void>();

  /** Bytes of this kind's records in the definitions topic, including superseded ones that are not tombstoned. */
  bytes = 0;

  constructor(readonly rules: ResourceRules<T, P>) {}

  get(name: string): T | undefined {
    return this.valueOf(this.byName.get(name));
  }

  all(): T[] {
    return [...this.byName.values()].map((history) => this.valueOf(history) as T);
  }

  get size(): number {
    return this.byName.size;
  }

  /** Returns the current definition of an identity, and its records. */
  current(identity: string): { value: T | undefined; history: DefinitionRecordHistory<P> | undefined } {
    const history = this.histories.get(identity);
    return { value: this.valueOf(history), history };
  }

  private valueOf(history: DefinitionRecordHistory<P> | undefined): T | undefined {
    if (history?.latest?.part === undefined) return undefined;
    let value = this.values.get(history);
    if (value === undefined) {
      value = this.rules.compose(history.live().map(({ part }) => part as P));
      this.values.set(history, value);
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
    const history = this.histories.get(key.identity) ?? new DefinitionRecordHistory<P>();
    this.histories.set(key.identity, history);
    const settle = this.watched.get(text);
    const [before, previous] = [settle && this.valueOf(history), history.latest];
    const won = this.update(key.identity, timestamp, () =>
      history.add({ ...record, key: text, part, bytes: value.length }),
    );
    settle?.({ won, before, previous, after: this.valueOf(history), superseded: history.superseded() });
    return won;
  }

  private tombstone(text: string, identity: string): boolean {
    const history = this.histories.get(identity);
    if (!history) return false;
    return this.update(identity, this.removed.get(identity) ?? 0, () => history.remove(text));
  }

  /** Runs `work`, which changes the records of one definition, and updates the view's indexes. */
  private update(identity: string, timestamp: number, work: () => boolean): boolean {
    const history = this.histories.get(identity) as DefinitionRecordHistory<P>;
    const [bytes, before] = [history.bytes, history.latest?.part];
    const changed = work();
    this.bytes += history.bytes - bytes;
    if (history.empty) this.histories.delete(identity);
    if (!changed && !history.empty) return false;
    this.values.delete(history);
    const after = history.latest?.part;
    const [old, name] = [before, after].map((part) => part && this.rules.nameOf(part));
    if (old !== undefined && old !== name) this.byName.delete(old);
    if (name !== undefined) this.byName.set(name, history);
    this.removed.delete(identity);
    if (history.latest && after === undefined) this.removed.set(identity, timestamp);
    return changed;
  }

  /**
   * Returns the keys of all records of definitions that were removed before `time` (milliseconds). The list ends after
   * the definition with which `most` keys are reached.
   */
  removedBefore(time: number, most: number): string[] {
    const old: string[] = [];
    for (const [identity, at] of this.removed) {
      if (at >= time || old.length >= most) break;
      const history = this.histories.get(identity);
      if (history?.latest) old.push(...history.superseded(), history.latest.key);
    }
    return old;
  }
}
