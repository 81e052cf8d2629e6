import { RequestBatcher } from '#async';
import type { EpochMicros } from '#json';
import type { EventRowBatch } from '../row-batch/event-row-batch.js';
import type { DeadLetter, EventRow, EventWriter, OffsetRange, OffsetAndEventId } from '../store.js';
import type { StoreClickHouseClient } from './store-clickhouse-client.js';
import { markReplayedSql } from './dead-letter-query.js';
import { deduplicatedInsert } from './insert-settings.js';
import { RowBinaryWriter } from '../row-batch/row-binary.js';
import { eventColumns } from '../row-batch/event-columns.js';
import { deadLetterColumns, writeDeadLetter } from './dead-letter-columns.js';
import {
  lastStoredOffsets,
  mostPartitionsOfLookup,
  storedEvents,
  type StreamPartition,
} from './stored-events.js';
import { latestVersions } from './latest-versions.js';
import { idsIn, offsetsOf } from './stored-ids.js';
import { versionsOf } from './versions-of.js';

const insertEvents = `INSERT INTO events (${eventColumns.join(', ')}) FORMAT RowBinary`;
/** Concurrent look-ups, so that a connection that hangs does not delay all partitions. */
const lookUpsAtOnce = 4;
const insertDeadLetters = `INSERT INTO dead_letters (${deadLetterColumns.join(', ')}) FORMAT RowBinary`;

/** Inserts the materializer's events and dead letters into ClickHouse, and looks up what is stored already. */
export class ClickHouseWriter implements EventWriter {
  /** Looks up many partitions in one query: a consumer that joins its group opens all its partitions at once. */
  private readonly lastOffsets = new RequestBatcher<StreamPartition, number | undefined>({
    most: mostPartitionsOfLookup,
    concurrent: lookUpsAtOnce,
    send: (partitions) => lastStoredOffsets(this.connection, partitions),
  });

  constructor(private readonly connection: StoreClickHouseClient) {}

  async appendRowBatches(blocks: readonly EventRowBatch[], token: string): Promise<void> {
    const filled = blocks.filter(({ count }) => count > 0);
    if (filled.length === 0) return;
    const bytes = filled.map((block) => block.bytes);
    const settings = {
      ...deduplicatedInsert,
      insert_deduplication_token: tokenAt(token, filled[0]!.row(0)),
    };
    await this.connection.insert(insertEvents, bytes, settings);
  }

  async appendDeadLetters(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return;
    const out = new RowBinaryWriter();
    for (const letter of letters) writeDeadLetter(out, letter);
    await this.connection.insert(insertDeadLetters, [out.bytes()], deduplicatedInsert);
  }

  async markReplayed(ids: readonly string[], at: EpochMicros): Promise<void> {
    if (ids.length === 0) return;
    const { query, params } = markReplayedSql(ids, at);
    await this.connection.command(query, params);
  }

  lastStoredOffset(stream: string, partition: number): Promise<number | undefined> {
    return this.lastOffsets.ask({ stream, partition });
  }

  storedEvents(range: OffsetRange): Promise<OffsetAndEventId[]> {
    return storedEvents(this.connection, range);
  }

  latestVersions(query: Parameters<EventWriter['latestVersions']>[0]): Promise<Map<string, number>> {
    return latestVersions(this.connection, query);
  }

  versionsOf(query: Parameters<EventWriter['versionsOf']>[0]): Promise<Map<string, number | null>> {
    return versionsOf(this.connection, query);
  }

  offsetsOf(query: Parameters<EventWriter['offsetsOf']>[0]): Promise<Map<string, number[]>> {
    return offsetsOf(this.connection, query);
  }

  idsIn(range: OffsetRange): Promise<Uint32Array> {
    return idsIn(this.connection, range);
  }
}

/**
 * Adds the ingestion time to the token: events that are sent again after their stream was dropped have a
 * later ingestion time, so they are not treated as a repeated insert.
 */
function tokenAt(token: string, { ingested_at }: EventRow): string {
  return `${token}@${ingested_at}`;
}
