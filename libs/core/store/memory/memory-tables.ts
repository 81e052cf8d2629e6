import { deadLetterId, deadLetterIdentity } from '../dead-letter-id.js';
import type { DeadLetter, EntitySummary, EventRow, OffsetAndEventId } from '../store.js';

/**
 * The latest version of an entity in one partition. The latest version remains when retention removes the entity's
 * events.
 */
interface MemoryLatestEntityVersion extends EntitySummary {
  partition: number;
  last_offset: number;
}

/** What the removals of the store know of a snapshot of an entity. */
export interface MemorySnapshotRow extends Pick<EventRow, 'stream'> {
  entity_id: string;
  version: number;
  first: Pick<EventRow, 'partition' | 'offset' | 'timestamp' | 'ingested_at'>;
  last: MemorySnapshotRow['first'];
}

/** The rows of the in-memory store: one row for each identity, as in ClickHouse after all merges. */
export class MemoryTables {
  private rowsByIdentity = new Map<string, EventRow>();
  private lettersById = new Map<string, DeadLetter>();
  private headsByEntity = new Map<string, MemoryLatestEntityVersion>();
  private snapshotsByPlace = new Map<string, MemorySnapshotRow>();
  /** The time at which a dead letter was replayed, by its id and its event. */
  private replays = new Map<string, number>();
  /** The greatest offset ever stored, for each stream partition. */
  private ends = new Map<string, number>();

  /** Every offset ever stored, for each stream partition. */
  private stored = new Map<string, Set<number>>();

  /** Offsets of the removed events, for each stream partition. */
  private removed = new Map<string, Set<number>>();

  /** Ids of the streams that were dropped. */
  readonly dropped = new Set<string>();

  put(rows: readonly EventRow[]): void {
    for (const row of rows) {
      const { stream, partition, offset } = row;
      const identity = JSON.stringify([stream, row.timestamp, partition, offset]);
      this.rowsByIdentity.set(identity, { ...row, event_id: row.event_id.toLowerCase() });
      this.addToEnd(row);
      this.addToHead(row);
    }
  }

  putLetters(letters: readonly DeadLetter[]): void {
    for (const letter of letters) this.lettersById.set(deadLetterId(letter), { ...letter });
  }

  markReplayed(id: string, at: number): void {
    const letter = this.lettersById.get(id);
    if (!letter) return;
    const mark = markOf(letter);
    this.replays.set(mark, Math.max(at, this.replays.get(mark) ?? at));
  }

  putSnapshot(snapshot: MemorySnapshotRow): void {
    const { stream, entity_id, version, last } = snapshot;
    const place = [stream, entity_id, version, last.partition, last.offset, last.ingested_at];
    this.snapshotsByPlace.set(JSON.stringify(place), snapshot);
  }

  events(): EventRow[] {
    return [...this.rowsByIdentity.values()];
  }

  letters(): DeadLetter[] {
    return [...this.lettersById.values()];
  }

  snapshots(): MemorySnapshotRow[] {
    return [...this.snapshotsByPlace.values()];
  }

  heads(): MemoryLatestEntityVersion[] {
    return [...this.headsByEntity.values()];
  }

  lastOffset(stream: string, partition: number): number | undefined {
    return this.ends.get(JSON.stringify([stream, partition]));
  }

  /** Returns every offset of a partition that was ever stored. */
  storedOffsets(stream: string, partition: number): ReadonlySet<number> {
    return this.stored.get(JSON.stringify([stream, partition])) ?? new Set();
  }

  /** Returns the offsets of the removed events of a partition. */
  removedOffsets(stream: string, partition: number): ReadonlySet<number> {
    return this.removed.get(JSON.stringify([stream, partition])) ?? new Set();
  }

  /** Loses rows of events, as damage to the store does: unlike a removal, nothing remembers the loss. */
  lose(lost: (row: EventRow) => boolean): void {
    this.rowsByIdentity = filtered(this.rowsByIdentity, (row) => !lost(row));
  }

  replayedAt(letter: DeadLetter): number | null {
    return this.replays.get(markOf(letter)) ?? null;
  }

  removeEvents(removed: (row: EventRow) => boolean): number {
    const kept = filtered(this.rowsByIdentity, (row) => !removed(row));
    for (const [identity, row] of this.rowsByIdentity) if (!kept.has(identity)) this.addToRemoved(row);
    const count = this.rowsByIdentity.size - kept.size;
    this.rowsByIdentity = kept;
    return count;
  }

  /** Removes events as if they had never been stored. */
  removeLost(stream: string, partition: number, events: readonly OffsetAndEventId[]): void {
    const isOf = (row: { stream: string; partition: number }) =>
      row.stream === stream && row.partition === partition;
    const lost = new Set(events.map(({ offset, event_id }) => `${offset}/${event_id}`));
    const entities = new Set<string | null>();
    this.rowsByIdentity = filtered(this.rowsByIdentity, (row) => {
      if (!isOf(row) || !lost.has(`${row.offset}/${row.event_id}`)) return true;
      entities.add(row.entity_id);
      return false;
    });
    this.removeHeads((latest) => isOf(latest) && entities.has(latest.entity_id));
    this.ends.delete(JSON.stringify([stream, partition]));
    for (const row of this.rowsByIdentity.values()) if (isOf(row)) this.addToEnd(row);
  }

  /** Forgets which events of a partition were removed at offsets from `from` on. */
  forgetRemoved({ stream, partition, from }: { stream: string; partition: number; from: number }): void {
    const removed = this.removed.get(JSON.stringify([stream, partition]));
    for (const offset of removed ?? []) if (offset >= from) removed?.delete(offset);
  }

  /** Returns the number of removed events of each partition of a stream. */
  removedEvents(stream: string): Map<number, number> {
    const found = [...this.removed].map(
      ([key, offsets]) => [JSON.parse(key) as [string, number], offsets] as const,
    );
    const own = found.filter(([[name]]) => name === stream);
    return new Map(own.map(([[, partition], offsets]) => [partition, offsets.size]));
  }

  removeLetters(removed: (letter: DeadLetter) => boolean): void {
    this.lettersById = filtered(this.lettersById, (letter) => !removed(letter));
  }

  removeSnapshots(removed: (snapshot: MemorySnapshotRow) => boolean): void {
    this.snapshotsByPlace = filtered(this.snapshotsByPlace, (snapshot) => !removed(snapshot));
  }

  /** Removes the latest versions that `removed` selects, then adds those of entities again that still have events. */
  removeHeads(removed: (head: MemoryLatestEntityVersion) => boolean): void {
    const gone = filtered(this.headsByEntity, removed);
    this.headsByEntity = filtered(this.headsByEntity, (head) => !removed(head));
    for (const row of this.events()) if (gone.has(headKey(row))) this.addToHead(row);
  }

  /** Removes all rows of the stream with this id. */
  removeStream(stream: string): void {
    const isOf = (row: { stream: string }) => row.stream === stream;
    this.removeLetters(isOf);
    this.removeSnapshots(isOf);
    this.removeEvents(isOf);
    this.removeHeads(isOf);
    this.ends = filtered(this.ends, (_end, key) => streamOf(key) !== stream);
    this.stored = filtered(this.stored, (_offsets, key) => streamOf(key) !== stream);
    this.removed = filtered(this.removed, (_offsets, key) => streamOf(key) !== stream);
    this.replays = filtered(this.replays, (_at, key) => streamOf(key) !== stream);
  }

  private addToEnd({ stream, partition, offset }: EventRow): void {
    const end = JSON.stringify([stream, partition]);
    this.ends.set(end, Math.max(offset, this.ends.get(end) ?? 0));
    this.stored.set(end, (this.stored.get(end) ?? new Set()).add(offset));
  }

  private addToRemoved({ stream, partition, offset }: EventRow): void {
    const key = JSON.stringify([stream, partition]);
    this.removed.set(key, (this.removed.get(key) ?? new Set()).add(offset));
  }

  private addToHead(row: EventRow): void {
    const { stream, partition, entity_id, version, offset, timestamp } = row;
    if (entity_id === null) return;
    const key = headKey(row);
    const head = this.headsByEntity.get(key);
    this.headsByEntity.set(key, {
      stream,
      partition,
      entity_id,
      version: Math.max(version ?? 0, head?.version ?? 0),
      last_offset: Math.max(offset, head?.last_offset ?? 0),
      last_timestamp: Math.max(timestamp, head?.last_timestamp ?? timestamp),
    });
  }
}

function headKey(row: Pick<EventRow, 'stream' | 'partition' | 'entity_id'>): string {
  return JSON.stringify([row.stream, row.partition, row.entity_id]);
}

function streamOf(key: string): unknown {
  return (JSON.parse(key) as unknown[])[0];
}

function markOf(letter: DeadLetter): string {
  return JSON.stringify([letter.stream, ...deadLetterIdentity(letter), letter.event]);
}

function filtered<V>(map: ReadonlyMap<string, V>, kept: (value: V, key: string) => boolean): Map<string, V> {
  return new Map([...map].filter(([key, value]) => kept(value, key)));
}
