import { RequestBatcher } from '#async';
import { streamNameOf } from '#event';
import type { EpochMicros } from '#json';
import { formatFailureLocation } from '../pipeline-failure-location.js';
import { eventColumns } from '../row-batch/event-row-batch-builder.js';
import type { EventRowBatch } from '../row-batch/event-row-batch.js';
import type { EventsOfPartition } from '../log-order.js';
import type { EventRow } from '../row-batch/event-row.js';
import type { ScrubbedEvent } from '../scrub-reader.js';
import type { DeadLetter, EventWriter, OffsetRange, PartitionShard } from '../store.js';
import { paramsOfEvents } from './removal/lost-events.js';
import { RowTable } from './connection/row-table.js';
import { deduplicatedInsert, longQuerySettings } from './connection/settings.js';
import { splitBySize } from './connection/split-by-size.js';
import type { ClickHouseConnection } from './connection/store-clickhouse-client.js';
import { markReplayedSql } from './dead-letter-query.js';
import { latestVersions } from './latest-versions.js';
import { eventsInSql } from './scrub-sql.js';
import {
  countFromSql,
  eventRowMembers,
  eventsAtSql,
  idsSql,
  lastOffsetsSql,
  offsetsSql,
  versionsSql,
} from './stored-events-sql.js';

const insertEvents = `INSERT INTO events (${eventColumns}) FORMAT RowBinary`;

const deadLetterTable = new RowTable<DeadLetter>('dead_letters', {
  source: (out, { source }) => out.string(source),
  stream: (out, { stream }) => out.string(stream),
  partition: (out, { partition }) => out.uint16(partition),
  offset: (out, { offset }) => out.int64(offset),
  reason: (out, { reason }) => out.string(reason),
  error: (out, { error }) => out.string(error),
  event: (out, { event }) => out.string(event),
  created_at: (out, { created_at }) => out.int64(created_at),
  step: (out, { step }) => out.string(formatFailureLocation(step)),
  streams: (out, { streams, stream }) => out.strings(streams ?? [streamNameOf(stream)]),
});

/** Maximum number of partitions of one look-up of their last offsets. */
const mostPartitionsOfLookup = 500;
/** Concurrent look-ups, so that a connection that hangs does not delay all partitions. */
const lookUpsAtOnce = 4;

const bytesPerId = 16;

/** Inserts the materializer's events and dead letters into ClickHouse, and looks up what is stored already. */
export class ClickHouseWriter implements EventWriter {
  /** Looks up many partitions in one query: a consumer that joins its group opens all its partitions at once. */
  private readonly lastOffsets = new RequestBatcher({
    most: mostPartitionsOfLookup,
    concurrent: lookUpsAtOnce,
    send: (partitions: readonly Pick<OffsetRange, 'stream' | 'partition'>[]) =>
      this.lastStoredOffsets(partitions),
  });

  constructor(private readonly connection: ClickHouseConnection) {}

  async appendRowBatches(batches: readonly EventRowBatch[], token: string): Promise<void> {
    const filled = batches.filter(({ count }) => count > 0);
    if (filled.length === 0) return;
    const bytes = filled.map((batch) => batch.bytes);
    // Events that are sent again after their stream was dropped have a later ingestion time, so they are not treated as
    // a repeated insert.
    const insert_deduplication_token = `${token}@${filled[0]!.row(0).ingested_at}`;
    await this.connection.insert(insertEvents, bytes, { ...deduplicatedInsert, insert_deduplication_token });
  }

  async appendDeadLetters(deadLetters: readonly DeadLetter[]): Promise<void> {
    if (deadLetters.length === 0) return;
    await deadLetterTable.insert(this.connection, deadLetters, deduplicatedInsert);
  }

  async markReplayed(ids: readonly string[], at: EpochMicros): Promise<void> {
    if (ids.length === 0) return;
    const { query, params } = markReplayedSql(ids, at);
    await this.connection.command(query, params);
  }

  async shardOf(): Promise<PartitionShard> {
    return { shard: 0, shards: 1 };
  }

  lastStoredOffset(stream: string, partition: number): Promise<number | undefined> {
    return this.lastOffsets.ask({ stream, partition });
  }

  async storedEvents(range: OffsetRange): Promise<ScrubbedEvent[]> {
    const rows = await this.lookUp<[number, string, number]>(eventsInSql, { ...range });
    return rows.map(([offset, event_id, complete]) => ({ offset, event_id, complete: complete === 1 }));
  }

  async countFrom(query: Parameters<EventWriter['countFrom']>[0]): Promise<number> {
    const [row] = await this.lookUp<[number]>(countFromSql, { ...query });
    return row?.[0] ?? 0;
  }

  async eventsAt(query: EventsOfPartition): Promise<EventRow[]> {
    if (query.events.length === 0) return [];
    const rows = await this.lookUp<EventRow[keyof EventRow][]>(eventsAtSql, paramsOfEvents(query));
    return rows.map((row) => Object.fromEntries(eventRowMembers.map((name, i) => [name, row[i]])) as never);
  }

  latestVersions(query: Parameters<EventWriter['latestVersions']>[0]): Promise<Map<string, number>> {
    return latestVersions(this.connection, query);
  }

  async versionsOf({
    stream,
    partition,
    eventIds,
  }: Parameters<EventWriter['versionsOf']>[0]): Promise<Map<string, number | null>> {
    const found = new Map<string, number | null>();
    for (const ids of splitBySize(eventIds)) {
      const params = { stream, partition, eventIds: ids };
      for (const [id, version] of await this.lookUp<[string, number]>(versionsSql, params))
        found.set(id, version === 0 ? null : version);
    }
    return found;
  }

  async offsetsOf({
    eventIds,
    ...range
  }: Parameters<EventWriter['offsetsOf']>[0]): Promise<Map<string, number[]>> {
    const found = new Map<string, number[]>();
    for (const ids of splitBySize(eventIds)) {
      const rows = await this.lookUp<[string, number]>(offsetsSql, { ...range, eventIds: ids });
      for (const [id, offset] of rows) {
        const known = found.get(id);
        if (known) known.push(offset);
        else found.set(id, [offset]);
      }
    }
    return found;
  }

  async idsIn(range: OffsetRange): Promise<Uint32Array> {
    const [row] = await this.lookUp<[string]>(idsSql, { ...range });
    const bytes = Buffer.from(row?.[0] ?? '', 'base64');
    const words = new Uint32Array(bytes.length / 4);
    // ClickHouse keeps a UUID as two 64-bit numbers, the more significant one first, each with its lowest byte first.
    for (let at = 0; at < bytes.length; at += bytesPerId) {
      for (let word = 0; word < 4; word++) words[at / 4 + word] = bytes.readUInt32LE(at + (word ^ 1) * 4);
    }
    return words;
  }

  /** Returns the greatest offset of each partition, in the order of the partitions; undefined without a stored event. */
  private async lastStoredOffsets(
    asked: readonly Pick<OffsetRange, 'stream' | 'partition'>[],
  ): Promise<(number | undefined)[]> {
    // Another process may have written to another replica.
    await this.connection.caughtUp();
    const streams = asked.map(({ stream }) => stream);
    const partitions = asked.map(({ partition }) => partition);
    const rows = await this.lookUp<[string, number, number]>(lastOffsetsSql, { streams, partitions });
    const found = new Map(rows.map(([stream, partition, offset]) => [`${partition}/${stream}`, offset]));
    return asked.map(({ stream, partition }) => found.get(`${partition}/${stream}`));
  }

  private lookUp<Row extends readonly unknown[]>(
    query: string,
    params: Record<string, unknown>,
  ): Promise<Row[]> {
    return this.connection.select<Row>(query, { params, settings: longQuerySettings, purpose: 'lookup' });
  }
}
