import type { ClickHouseSettings } from '@clickhouse/client';
import type { Micros } from '#contracts';
import type { EventBlock } from '../blocks/event-block.js';
import type { DeadLetter, EventRow, EventWriter, StoredIdentity, Stretch } from '../store.js';
import type { Connection } from './connection.js';
import { markReplayedSql } from './dead-letter-query.js';
import { RowBinaryWriter } from './row-binary.js';
import { deadLetterColumns, eventColumns, writeDeadLetter, writeEvent } from './rows.js';
import { lastStored, stored } from './stored.js';
import { versions } from './versions.js';

const insertEvents = `INSERT INTO events (${eventColumns.join(', ')}) FORMAT RowBinary`;
const insertDeadLetters = `INSERT INTO dead_letters (${deadLetterColumns.join(', ')}) FORMAT RowBinary`;

/**
 * One insert is one block, so that it is there as a whole or not at all. The token makes a repeat of it vanish, in the
 * table and in each of those that the materialized views fill; where the first attempt got only as far as some of
 * them, the repeat completes the others.
 */
const insertSettings: ClickHouseSettings = {
  async_insert: 0,
  wait_end_of_query: 1,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  max_insert_block_size: '16777216',
  min_insert_block_size_rows: '16777216',
  min_insert_block_size_bytes: '0',
  // Rows of one batch were ingested close together, whatever their own timestamps say; a clock that jumps is no reason
  // to refuse them.
  max_partitions_per_insert_block: '1000',
};

export class ClickHouseWriter implements EventWriter {
  constructor(private readonly connection: Connection) {}

  async append(rows: readonly EventRow[], token: string): Promise<void> {
    if (rows.length === 0) return;
    const out = new RowBinaryWriter();
    for (const row of rows) writeEvent(out, row);
    await this.insertEvents([out.bytes()], tokenAt(token, rows[0]!));
  }

  async appendBlocks(blocks: readonly EventBlock[], token: string): Promise<void> {
    const filled = blocks.filter(({ count }) => count > 0);
    if (filled.length === 0) return;
    await this.insertEvents(
      filled.map(({ bytes }) => bytes),
      tokenAt(token, filled[0]!.row(0)),
    );
  }

  async appendDeadLetters(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return;
    const out = new RowBinaryWriter();
    for (const letter of letters) writeDeadLetter(out, letter);
    await this.connection.insert(insertDeadLetters, [out.bytes()], insertSettings);
  }

  async markReplayed(ids: readonly string[], at: Micros): Promise<void> {
    if (ids.length === 0) return;
    const { query, params } = markReplayedSql(ids, at);
    await this.connection.command(query, params);
  }

  lastStored(stream: string, partition: number): Promise<number | undefined> {
    return lastStored(this.connection, { stream, partition });
  }

  stored(stretch: Stretch): Promise<StoredIdentity[]> {
    return stored(this.connection, stretch);
  }

  versions(query: Parameters<EventWriter['versions']>[0]): Promise<Map<string, number>> {
    return versions(this.connection, query);
  }

  private insertEvents(body: readonly Buffer[], token: string): Promise<void> {
    return this.connection.insert(insertEvents, body, {
      ...insertSettings,
      insert_deduplication_token: token,
    });
  }
}

/** The same events, sent once more to a stream that was dropped in between, are no repeat: they were ingested later. */
function tokenAt(token: string, { ingested_at }: EventRow): string {
  return `${token}@${ingested_at}`;
}
