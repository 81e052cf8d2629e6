import type { LogRecord } from '#log';
import { DefinitionEntry, type HeldRecord } from './definition-entry.js';
import { readRecord, type RecordKey } from './definition-record.js';
import type { KindRules } from './kind-rules.js';

/** What became of a record that this process has written. */
export interface Outcome<T> {
  /** Whether it was the first of its revision. */
  won: boolean;
  before: T | undefined;
  /** What held before, if anything did: also a removal. */
  previous: Pick<HeldRecord<unknown>, 'revision' | 'changed_at' | 'changed_by'> | undefined;
  after: T | undefined;
  /** Keys that can be tombstoned. */
  superseded: string[];
}

/** All definitions of one kind, folded from the records of the topic. */
export class KindFold<T, P = T> {
  private readonly entries = new Map<string, DefinitionEntry<P>>();
  private readonly byName = new Map<string, DefinitionEntry<P>>();
  /** Made when they are asked for: a definition of many records is not put together once for each of them. */
  private readonly values = new Map<DefinitionEntry<P>, T>();
  /** By identity, when each was removed (milliseconds), the first removal first. */
  private readonly removed = new Map<string, number>();
  private heldBytes = 0;
  private readonly watched = new Map<string, (outcome: Outcome<T>) => void>();

  constructor(readonly rules: KindRules<T, P>) {}

  get(name: string): T | undefined {
    return this.valueOf(this.byName.get(name));
  }

  all(): T[] {
    return [...this.byName.values()].map((entry) => this.valueOf(entry) as T);
  }

  get size(): number {
    return this.byName.size;
  }

  /** Of all records that stand in the topic. */
  get bytes(): number {
    return this.heldBytes;
  }

  /** What holds for an identity: its definition, and the records behind it. */
  held(identity: string): { value: T | undefined; entry: DefinitionEntry<P> | undefined } {
    const entry = this.entries.get(identity);
    return { value: this.valueOf(entry), entry };
  }

  private valueOf(entry: DefinitionEntry<P> | undefined): T | undefined {
    if (entry?.head?.part === undefined) return undefined;
    let value = this.values.get(entry);
    if (value === undefined) {
      value = this.rules.compose(entry.live().map(({ part }) => part as P));
      this.values.set(entry, value);
    }
    return value;
  }

  /** Calls back once, when the record with this key has been folded. Returns what ends the watch. */
  watch(key: string, settle: (outcome: Outcome<T>) => void): () => void {
    this.watched.set(key, settle);
    return () => this.watched.delete(key);
  }

  /**
   * Takes one record; true when a definition has changed.
   * @throws UnreadableDefinitionError
   */
  apply({ key: bytes, value, timestamp }: LogRecord, key: RecordKey): boolean {
    const text = String(bytes);
    if (value === null) return this.tombstone(text, key.identity);
    const { body, ...record } = readRecord(key, value);
    const part = body && this.rules.read(key.identity, { slot: key.slot, body });
    const entry = this.entries.get(key.identity) ?? new DefinitionEntry<P>();
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

  /** Runs what changes the records of an identity, and takes over what they say then. */
  private update(identity: string, timestamp: number, work: () => boolean): boolean {
    const entry = this.entries.get(identity) as DefinitionEntry<P>;
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

  /** Keys of all that is left of definitions removed before this time (milliseconds), up to so many of them. */
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
