import type { EventBlock } from '../blocks/event-block.js';
import type { DeadLetter, EventRow, EventWriter, StoredIdentity, Stretch } from '../store.js';
import type { MemoryTables } from './memory-tables.js';

export class MemoryWriter implements EventWriter {
  constructor(private readonly tables: MemoryTables) {}

  async append(rows: readonly EventRow[], _token: string): Promise<void> {
    this.tables.put(rows);
  }

  async appendBlocks(blocks: readonly EventBlock[], _token: string): Promise<void> {
    this.tables.put(blocks.flatMap((block) => block.rows()));
  }

  async appendDeadLetters(letters: readonly DeadLetter[]): Promise<void> {
    this.tables.putLetters(letters);
  }

  async lastStored(stream: string, partition: number): Promise<number | undefined> {
    const rows = this.ofPartition(stream, partition);
    return rows.length === 0 ? undefined : Math.max(...rows.map((row) => row.offset));
  }

  async stored({ stream, partition, from, until }: Stretch): Promise<StoredIdentity[]> {
    return this.ofPartition(stream, partition)
      .filter(({ offset }) => offset >= from && offset < until)
      .map(({ offset, event_id }) => ({ offset, event_id }))
      .sort((a, b) => a.offset - b.offset);
  }

  async versions(query: Parameters<EventWriter['versions']>[0]): Promise<Map<string, number>> {
    const wanted = new Set(query.entityIds);
    const found = new Map<string, number>();
    for (const row of this.ofPartition(query.stream, query.partition)) {
      if (row.entity_id === null || row.version === null) continue;
      if (row.offset >= query.before || !wanted.has(row.entity_id)) continue;
      found.set(row.entity_id, Math.max(row.version, found.get(row.entity_id) ?? 0));
    }
    return found;
  }

  private ofPartition(stream: string, partition: number): EventRow[] {
    return this.tables.events().filter((row) => row.stream === stream && row.partition === partition);
  }
}
