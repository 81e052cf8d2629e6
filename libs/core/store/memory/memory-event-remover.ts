import { entityHash, streamNameOf } from '#event';
import type { EntityErasure, EventRemover } from '../event-remover.js';
import { maxEventsOfPartition, type EventsOfPartition } from '../log-order.js';
import type { DeadLetter } from '../store.js';
import type { MemorySnapshotRow, MemoryTables } from './memory-tables.js';

/** In-memory fake of the store's event eraser, for specs. */
export class MemoryEventRemover implements EventRemover {
  constructor(private readonly tables: MemoryTables) {}

  async eraseEntity(erasure: EntityErasure): Promise<number> {
    const { stream, before } = erasure;
    const isIts = (entity: string | null) =>
      entity !== null && entityHash(streamNameOf(stream), entity) === erasure.entityHash;
    const isBelow = (row: { stream: string; partition: number; offset: number }) =>
      row.stream === stream && row.offset < (before[row.partition] ?? 0);
    const events = this.tables.removeEvents((row) => isBelow(row) && isIts(row.entity_id));
    const left = new Set(
      this.tables
        .events()
        .filter((row) => row.stream === stream && isIts(row.entity_id))
        .map((row) => row.partition),
    );
    this.tables.removeHeads(
      (head) =>
        head.stream === stream &&
        isIts(head.entity_id) &&
        (left.has(head.partition) || head.last_offset < (before[head.partition] ?? 0)),
    );
    this.tables.removeSnapshots(
      (snapshot) =>
        (isBelow(firstOf(snapshot)) || isBelow({ ...snapshot.last, stream: snapshot.stream })) &&
        isIts(snapshot.entity_id),
    );
    this.tables.removeLetters((letter) => isBelow(letter) && isDeadLetterOf(letter, isIts, erasure.entityId));
    return events;
  }

  async countEntity({ stream, entityId, before }: EntityErasure): Promise<number> {
    return this.tables
      .events()
      .filter(
        (row) =>
          row.stream === stream && row.entity_id === entityId && row.offset < (before[row.partition] ?? 0),
      ).length;
  }

  async expire({ stream, before }: Parameters<EventRemover['expire']>[0]): Promise<number> {
    this.tables.removeLetters((letter) => letter.stream === stream && letter.created_at < before);
    this.removeSnapshots((first) => first.stream === stream && first.ingested_at < before);
    return this.tables.removeEvents((row) => row.stream === stream && row.ingested_at < before);
  }

  async truncate(query: Parameters<EventRemover['truncate']>[0]): Promise<number> {
    const { stream, partition, before } = query;
    const isBelow = (row: { stream: string; partition: number; offset: number }) =>
      row.stream === stream && row.partition === partition && row.offset < before;
    this.tables.removeLetters(isBelow);
    this.removeSnapshots(isBelow);
    return this.tables.removeEvents(isBelow);
  }

  async removeLost({ stream, partition, events }: EventsOfPartition): Promise<void> {
    if (events.length > maxEventsOfPartition) throw new RangeError('too many events at once');
    this.tables.removeLost(stream, partition, events);
  }

  async reuseOffsets({ stream, ...query }: Parameters<EventRemover['reuseOffsets']>[0]): Promise<void> {
    const isReused = ({ partition, offset }: { partition: number; offset: number }) =>
      partition === query.partition && offset >= query.from;
    this.tables.forgetRemoved({ stream, ...query });
    this.tables.removeSnapshots(
      (snapshot) => snapshot.stream === stream && (isReused(snapshot.first) || isReused(snapshot.last)),
    );
  }

  async dropStream(stream: string): Promise<void> {
    this.tables.dropped.add(stream);
    this.tables.removeStream(stream);
  }

  async removeLateRows(): Promise<number> {
    const rows = [...this.tables.events(), ...this.tables.letters(), ...this.tables.snapshots()];
    const late = new Set(
      rows.map(({ stream }) => stream).filter((stream) => this.tables.dropped.has(stream)),
    );
    for (const stream of late) this.tables.removeStream(stream);
    return late.size;
  }

  async purge(): Promise<void> {}

  private removeSnapshots(gone: (first: FirstEvent) => boolean): void {
    this.tables.removeSnapshots((snapshot) => gone(firstOf(snapshot)));
  }
}

type FirstEvent = MemorySnapshotRow['first'] & { stream: string };

/** Returns the first event of a snapshot: the snapshot is removed together with it. */
function firstOf({ stream, first }: MemorySnapshotRow): FirstEvent {
  return { ...first, stream };
}

/**
 * Whether a dead letter belongs to an entity. A JSON record names its entity. Any other record belongs to the
 * entity if it contains the id as a JSON string.
 */
export function isDeadLetterOf(
  { event, reason }: DeadLetter,
  isIts: (entity: string | null) => boolean,
  entityId: string | undefined,
): boolean {
  const bytes = event.startsWith('base64:') ? Buffer.from(event.slice(7), 'base64') : Buffer.from(event);
  try {
    const record = JSON.parse(bytes.toString()) as { entity_id?: unknown; text?: unknown } | null;
    if (reason === 'refused_at_intake' && record?.entity_id === null)
      return entityId !== undefined && String(record.text).includes(JSON.stringify(entityId));
    return typeof record?.entity_id === 'string' && isIts(record.entity_id);
  } catch {
    return entityId !== undefined && bytes.includes(JSON.stringify(entityId));
  }
}
