import type { LogRecord } from '#log';
import { DefinitionEntry, type HeldRecord } from './definition-entry.js';
import { keyText, readRecord, type RecordKey } from './definition-record.js';
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
  private readonly byIdentity = new Map<string, T>();
  private readonly byName = new Map<string, T>();
  /** By identity, when each was removed (milliseconds), the first removal first. */
  private readonly removed = new Map<string, number>();
  private heldBytes = 0;
  private readonly watched = new Map<string, (outcome: Outcome<T>) => void>();

  constructor(readonly rules: KindRules<T, P>) {}

  get(name: string): T | undefined {
    return this.byName.get(name);
  }

  all(): T[] {
    return [...this.byName.values()];
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
    return { value: this.byIdentity.get(identity), entry: this.entries.get(identity) };
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
  apply({ value, timestamp }: LogRecord, key: RecordKey): boolean {
    if (value === null) return this.tombstone(key);
    const { body, ...record } = readRecord(key, value);
    const { identity, slot } = key;
    const part = body && this.rules.read(identity, { slot, body });
    const entry = this.entries.get(identity) ?? new DefinitionEntry<P>();
    this.entries.set(identity, entry);
    const before = this.byIdentity.get(identity);
    const previous = entry.head;
    const text = keyText(key);
    const { bytes } = entry;
    const won = entry.add({ ...record, key: text, part, bytes: value.length });
    this.heldBytes += entry.bytes - bytes;
    if (won) this.refresh(identity, timestamp);
    const after = this.byIdentity.get(identity);
    this.watched.get(text)?.({ won, before, previous, after, superseded: entry.superseded() });
    return won;
  }

  private tombstone(key: RecordKey): boolean {
    const entry = this.entries.get(key.identity);
    if (!entry) return false;
    const { bytes } = entry;
    const changed = entry.remove(keyText(key));
    this.heldBytes += entry.bytes - bytes;
    if (entry.empty || changed) this.refresh(key.identity, this.removed.get(key.identity) ?? 0);
    return changed;
  }

  /** Takes over what the records of an identity say now. */
  private refresh(identity: string, timestamp: number): void {
    const entry = this.entries.get(identity);
    const parts = entry?.live().map(({ part }) => part as P) ?? [];
    const value = parts.length > 0 ? this.rules.compose(parts) : undefined;
    this.name(this.byIdentity.get(identity), value);
    this.removed.delete(identity);
    if (entry?.empty) this.entries.delete(identity);
    else if (value === undefined) this.removed.set(identity, timestamp);
    if (value === undefined) this.byIdentity.delete(identity);
    else this.byIdentity.set(identity, value);
  }

  private name(before: T | undefined, after: T | undefined): void {
    const [old, name] = [before, after].map((value) => value && this.rules.nameOf(value));
    if (old !== undefined && old !== name) this.byName.delete(old);
    if (after !== undefined) this.byName.set(this.rules.nameOf(after), after);
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
