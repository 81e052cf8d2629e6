import type { ClickHouseSettings } from '@clickhouse/client';
import type { DeadLetter, EventRow, EventWriter, StoredIdentity, Stretch } from '../store.js';
import type { Connection } from './connection.js';
import { RowBinaryWriter } from './row-binary.js';
import { deadLetterColumns, eventColumns, writeDeadLetter, writeEvent } from './rows.js';
import { lastStored, stored } from './stored.js';
import { versions } from './versions.js';

const insertEvents = `INSERT INTO events (${eventColumns.join(', ')}) FORMAT RowBinary`;
const insertDeadLetters = `INSERT INTO dead_letters (${deadLetterColumns.join(', ')}) FORMAT RowBinary`;

/** Buffers up to this size are kept for the next batch; larger ones are left to the garbage collector. */
const keptBufferBytes = 64 * 1024 * 1024;

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
  private free: RowBinaryWriter[] = [];

  constructor(private readonly connection: Connection) {}

  async append(rows: readonly EventRow[], token: string): Promise<void> {
    if (rows.length === 0) return;
    await this.encoded(
      (out) => rows.forEach((row) => writeEvent(out, row)),
      (body) =>
        this.connection.insert(insertEvents, body, { ...insertSettings, insert_deduplication_token: token }),
    );
  }

  async appendDeadLetters(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return;
    await this.encoded(
      (out) => letters.forEach((letter) => writeDeadLetter(out, letter)),
      (body) => this.connection.insert(insertDeadLetters, body, insertSettings),
    );
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

  /** Encodes into a buffer that no other insert uses meanwhile. */
  private async encoded(
    encode: (out: RowBinaryWriter) => void,
    send: (body: Buffer) => Promise<void>,
  ): Promise<void> {
    const out = this.free.pop() ?? new RowBinaryWriter();
    encode(out);
    const body = out.bytes();
    await send(body);
    // Only after success: after a time-out the socket may still be reading from the buffer.
    if (this.free.length > 0 || body.length > keptBufferBytes) return;
    out.reset();
    this.free.push(out);
  }
}
