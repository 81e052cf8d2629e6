import { entityHash } from '#event';
import type { EntityErasure, EventEraser } from '../event-eraser.js';
import type { EntitySnapshot, EventPlace } from '../snapshot-store.js';
import type { DeadLetter } from '../store.js';
import type { MemoryTables } from './memory-tables.js';

export class MemoryEraser implements EventEraser {
  constructor(private readonly tables: MemoryTables) {}

  async eraseEntity(erasure: EntityErasure): Promise<number> {
    const { stream, before } = erasure;
    const isIts = (entity: string | null) =>
      entity !== null && entityHash(stream, entity) === erasure.entityHash;
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
    this.tables.removeSnapshots((snapshot) => isBelow(firstOf(snapshot)) && isIts(snapshot.entity_id));
    this.tables.removeLetters((letter) => isBelow(letter) && isLetterOf(letter, isIts, erasure.entityId));
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

  async expire({ stream, before }: Parameters<EventEraser['expire']>[0]): Promise<number> {
    this.tables.removeLetters((letter) => letter.stream === stream && letter.created_at < before);
    this.removeSnapshots((first) => first.stream === stream && first.ingested_at < before);
    return this.tables.removeEvents((row) => row.stream === stream && row.ingested_at < before);
  }

  async truncate(query: Parameters<EventEraser['truncate']>[0]): Promise<number> {
    const { stream, partition, before, ingestedBefore } = query;
    const isBelow = (row: { stream: string; partition: number; offset: number }) =>
      row.stream === stream && row.partition === partition && row.offset < before;
    this.tables.removeLetters((letter) => isBelow(letter) && letter.created_at < ingestedBefore);
    this.removeSnapshots((first) => isBelow(first) && first.ingested_at < ingestedBefore);
    return this.tables.removeEvents((row) => isBelow(row) && row.ingested_at < ingestedBefore);
  }

  async dropStream({ stream, before }: Parameters<EventEraser['dropStream']>[0]): Promise<void> {
    const isOf = (row: { stream: string }) => row.stream === stream;
    this.tables.removeLetters((letter) => isOf(letter) && letter.created_at < before);
    this.tables.forgetReplays(stream, before);
    this.removeSnapshots((first) => isOf(first) && first.ingested_at < before);
    const removed = this.tables.removeEvents((row) => isOf(row) && row.ingested_at < before);
    if (removed === 0 && this.tables.events().some(isOf)) return;
    this.tables.removeHeads(isOf);
    this.tables.forgetEnds(stream);
  }

  async purge(): Promise<void> {}

  private removeSnapshots(gone: (first: FirstEvent) => boolean): void {
    this.tables.removeSnapshots((snapshot) => gone(firstOf(snapshot)));
  }
}

type FirstEvent = EventPlace & { stream: string };

/** A snapshot goes with its first event. */
function firstOf({ stream, first }: EntitySnapshot): FirstEvent {
  return { ...first, stream };
}

/** A letter that is JSON says whose it is; any other is theirs when it holds the id as a JSON text. */
export function isLetterOf(
  { event }: DeadLetter,
  isIts: (entity: string | null) => boolean,
  entityId: string | undefined,
): boolean {
  const bytes = event.startsWith('base64:') ? Buffer.from(event.slice(7), 'base64') : Buffer.from(event);
  try {
    const record = JSON.parse(bytes.toString()) as { entity_id?: unknown } | null;
    return typeof record?.entity_id === 'string' && isIts(record.entity_id);
  } catch {
    return entityId !== undefined && bytes.includes(JSON.stringify(entityId));
  }
}
