import { readUuidText } from '#event';
import type { EpochMicros } from '#json';
import type { EventRowBatch } from '../row-batch/event-row-batch.js';
import { assertDeadLetterIdsBounded } from '../dead-letter-id.js';
import type { EventsOfPartition } from '../log-order.js';
import type { ScrubbedEvent } from '../scrub-reader.js';
import type { DeadLetter, EventRow, EventWriter, OffsetRange, PartitionShard } from '../store.js';
import type { MemoryTables } from './memory-tables.js';

/** In-memory fake of the store's event writer, for specs. */
export class MemoryWriter implements EventWriter {
  constructor(private readonly tables: MemoryTables) {}

  async appendRowBatches(blocks: readonly EventRowBatch[], _token: string): Promise<void> {
    this.tables.put(blocks.flatMap((block) => block.rows()));
  }

  async appendDeadLetters(letters: readonly DeadLetter[]): Promise<void> {
    this.tables.putLetters(letters);
  }

  async markReplayed(ids: readonly string[], at: EpochMicros): Promise<void> {
    assertDeadLetterIdsBounded(ids);
    for (const id of ids) this.tables.markReplayed(id, at);
  }

  async shardOf(): Promise<PartitionShard> {
    return { shard: 0, shards: 1 };
  }

  async lastStoredOffset(stream: string, partition: number): Promise<number | undefined> {
    return this.tables.lastOffset(stream, partition);
  }

  async storedEvents({ stream, partition, from, until }: OffsetRange): Promise<ScrubbedEvent[]> {
    return this.ofPartition(stream, partition)
      .filter(({ offset }) => offset >= from && offset < until)
      .map(({ offset, event_id }) => ({ offset, event_id, complete: true }))
      .sort((a, b) => a.offset - b.offset);
  }

  async countFrom({ stream, partition, from }: Parameters<EventWriter['countFrom']>[0]): Promise<number> {
    return this.ofPartition(stream, partition).filter(({ offset }) => offset >= from).length;
  }

  async eventsAt({ stream, partition, events }: EventsOfPartition): Promise<EventRow[]> {
    const wanted = new Set(events.map(({ offset, event_id }) => `${offset}/${event_id}`));
    return this.ofPartition(stream, partition)
      .filter(({ offset, event_id }) => wanted.has(`${offset}/${event_id}`))
      .sort((a, b) => a.offset - b.offset);
  }

  async latestVersions(query: Parameters<EventWriter['latestVersions']>[0]): Promise<Map<string, number>> {
    const { stream, partition, before, from = 0 } = query;
    const wanted = new Set(query.entityIds);
    const heads = this.tables
      .heads()
      .filter((head) => head.stream === stream && head.partition === partition && wanted.has(head.entity_id))
      .filter((head) => head.last_offset >= from);
    const found = heads.map(({ entity_id, version, last_offset }): [string, number] => [
      entity_id,
      last_offset < before && from === 0 ? version : this.versionBefore(query, entity_id, version),
    ]);
    return new Map(found.filter(([, version]) => version > 0));
  }

  async versionsOf(query: Parameters<EventWriter['versionsOf']>[0]): Promise<Map<string, number | null>> {
    const rows = this.ofPartition(query.stream, query.partition);
    const wanted = new Set(query.eventIds);
    return new Map(
      rows.filter((row) => wanted.has(row.event_id)).map((row) => [row.event_id, row.version ?? null]),
    );
  }

  async offsetsOf(query: Parameters<EventWriter['offsetsOf']>[0]): Promise<Map<string, number[]>> {
    const wanted = new Set(query.eventIds);
    const found = new Map<string, number[]>();
    for (const { event_id, offset } of await this.storedEvents(query))
      if (wanted.has(event_id)) found.set(event_id, [...(found.get(event_id) ?? []), offset]);
    return found;
  }

  async idsIn(range: OffsetRange): Promise<Uint32Array> {
    const events = await this.storedEvents(range);
    const ids = new Uint32Array(events.length * 4);
    events.forEach(({ event_id }, i) => readUuidText(event_id, ids.subarray(i * 4)));
    return ids;
  }

  /**
   * Returns the latest version of an entity below `before`. If retention removed the events below `before`,
   * the first later event determines it.
   */
  private versionBefore(
    { stream, partition, before, from = 0 }: Parameters<EventWriter['latestVersions']>[0],
    entityId: string,
    head: number,
  ): number {
    const rows = this.ofPartition(stream, partition).filter(
      (row) => row.entity_id === entityId && row.offset >= from,
    );
    const versions = (wanted: EventRow[]) => wanted.map((row) => row.version ?? 0);
    const below = versions(rows.filter((row) => row.offset < before));
    if (below.length > 0) return Math.max(...below);
    return rows.length > 0 ? Math.min(...versions(rows)) - 1 : head;
  }

  private ofPartition(stream: string, partition: number): EventRow[] {
    return this.tables.events().filter((row) => row.stream === stream && row.partition === partition);
  }
}
