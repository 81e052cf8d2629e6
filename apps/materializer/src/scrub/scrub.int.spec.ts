import { randomUUID } from 'node:crypto';
import { StalledConsumerDetector } from '#engine';
import { MemoryErasures } from '#engine/memory';
import { encodeRecord, entityHash, expectedVersionHeader, TopicAndGroupNames } from '#event';
import { openKafkaLog, type Log, type Producer, type ProducerRecord } from '#kafka';
import { createLogger } from '#telemetry';
import { freshNames, testEngines } from '#testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestStore, type TestStore } from '../../../../libs/core/store/clickhouse/test-store.js';
import { Materializer } from '../materializer.js';
import { Scrub } from './scrub.js';

interface Sent {
  id?: string;
  entity?: string | null;
  expected?: number;
  value?: string;
  ingestedAt?: number;
}

const day = 86_400_000_000;
const now = Date.now() * 1000;

describe('Scrub with Kafka and ClickHouse', () => {
  const names = new TopicAndGroupNames(freshNames().topicPrefix);
  const streams = [`orders-${randomUUID()}#1`, `carts-${randomUUID()}#1`] as const;
  const window = { records: 10_000, milliseconds: 3_600_000 };
  const logger = createLogger({ name: 'test', level: 'silent' });
  const erasures = new MemoryErasures();
  const failures: Error[] = [];
  const unlogged: string[] = [];
  let log: Log;
  let producer: Producer;
  let test: TestStore;
  let materializer: Materializer;
  let scrub: Scrub;
  /** The offsets at which the partitions ended when the expected rows were read, by stream and partition. */
  let ends: Map<string, number>;
  let before: Record<string, unknown[]>;
  let writing = true;
  let load: Promise<void>;

  const recordOf = (stream: (typeof streams)[number], sent: Sent): ProducerRecord => {
    const { id = randomUUID(), entity = null, expected, ingestedAt = now } = sent;
    const value = encodeRecord({
      ...{ event_id: id, event_type: 'happened', entity_id: entity, timestamp: ingestedAt },
      ...{ ingested_at: ingestedAt, schema_version: null, metadata: '{}', data: `{"id":"${id}"}` },
    });
    return {
      ...{ topic: names.ofStream(stream), key: entity ?? id, value: sent.value ?? value },
      ...(expected !== undefined && { headers: { [expectedVersionHeader]: String(expected) } }),
    };
  };
  const write = (stream: (typeof streams)[number], events: readonly Sent[]) =>
    producer.append(events.map((sent) => recordOf(stream, sent)));
  const some = (count: number, entities: number, name = 'entity'): Sent[] =>
    Array.from({ length: count }, (_, i) => ({ id: randomUUID(), entity: `${name}-${i % entities}` }));

  async function untilStored(): Promise<void> {
    for (const stream of streams) {
      const topic = names.ofStream(stream);
      await vi.waitFor(
        async () => {
          const done = await log.admin.committed(names.materializerGroup, topic);
          for (const { partition, end } of await log.admin.offsets(topic))
            expect(done.get(partition) ?? 0).toBe(end);
        },
        { timeout: 40_000, interval: 50 },
      );
    }
  }

  async function rowsOf(query: string): Promise<unknown[]> {
    const result = await test.engine.query({ query, format: 'JSONCompactEachRow' });
    return await result.json();
  }

  /** Returns the rows of all tables, without the events that are written while the scrub runs. */
  async function tables(): Promise<Record<string, unknown[]>> {
    const columns = 'stream, partition, offset, event_id, entity_id, version, timestamp, ingested_at, data';
    const events = (table: string) =>
      rowsOf(`SELECT DISTINCT ${columns} FROM ${table} WHERE entity_id NOT LIKE 'live%' ORDER BY ALL`);
    // What was removed on purpose stays removed whether `positions` has it or not.
    const bitsOf = (table: string) =>
      `SELECT stream || '/' || toString(partition), segment * 1048576 + arrayJoin(bitmapToArray(groupBitmapMergeState(offsets))) AS offset
       FROM ${table} GROUP BY stream, partition, segment`;
    const bits = await rowsOf(`${bitsOf('positions')} EXCEPT ${bitsOf('removed_positions')} ORDER BY ALL`);
    return {
      events: await events('events'),
      byEntity: await events('events_by_entity'),
      entities: await rowsOf(
        `SELECT stream, partition, entity_id, max(last_version), max(last_offset), min(first_timestamp), max(last_timestamp)
         FROM entities WHERE entity_id NOT LIKE 'live%' GROUP BY stream, partition, entity_id ORDER BY ALL`,
      ),
      positions: (bits as [string, string][]).filter(
        ([place, offset]) => Number(offset) < (ends.get(place) ?? 0),
      ),
    };
  }

  async function startScrub(): Promise<void> {
    scrub = new Scrub({
      settleMs: { due: 0, requested: 0 },
      progress: test.store.scrubPasses,
      ...{ log, topics: names, logger, window, erasures, reader: test.store.scrub },
      writer: test.store.writer,
      verdicts: materializer.dependencies.verdicts,
      inserts: { begin: () => undefined, end: () => undefined },
      eventsPerSecond: 1_000_000,
      intervalMs: 200,
      onUnlogged: async (_, found) => void unlogged.push(...found.map(({ event_id }) => event_id)),
    });
    await scrub.subscribe(streams);
  }

  const damage = (statement: string) =>
    test.engine.command({
      query: statement,
      clickhouse_settings: { lightweight_deletes_sync: '2', mutations_sync: '2' },
    });

  /** Drops every data part of a table, except those that are merged into another one meanwhile; at least one. */
  async function dropParts(table: string): Promise<void> {
    let dropped = 0;
    while (dropped === 0) {
      const parts = await rowsOf(
        `SELECT name FROM system.parts WHERE database = currentDatabase() AND table = '${table}' AND active`,
      );
      for (const [part] of parts as [string][])
        try {
          await damage(`ALTER TABLE ${table} DROP PART '${part}'`);
          dropped++;
        } catch (error) {
          expect(error).toMatchObject({ type: 'NO_SUCH_DATA_PART' });
        }
    }
  }

  beforeAll(async () => {
    test = await openTestStore({ merges: true });
    log = openKafkaLog({
      ...{ brokers: testEngines().kafkaBrokers.split(','), clientId: 'test', replicationFactor: 1 },
      bounds: { heartbeatMs: 200, sessionTimeoutMs: 6_000, subscribeDebounceMs: 50 },
    });
    for (const stream of streams) await log.admin.create(names.ofStream(stream), { partitions: 2 });
    producer = await log.producer();
    materializer = new Materializer({
      eraser: test.store.eraser,
      writeBackEvents: 1000,
      ...{ log, topics: names, logger, window, erasures, writer: test.store.writer },
      ...{ progress: new StalledConsumerDetector(), far: { milliseconds: 0 }, farBytes: 0 },
      cachedEntities: 1000,
      limits: { insertRows: 200, insertBytes: 1_000_000, intervalMs: 20, queueBytes: 2_000_000 },
      onFailure: (error) => failures.push(error),
    });
    await materializer.subscribe(streams);

    const old: Sent[] = [...some(30, 3, 'old'), ...some(10, 1).map(({ id }) => ({ id }))];
    const events = [...some(300, 7), ...some(40, 3, 'old'), ...some(20, 1).map(({ id }) => ({ id }))];
    for (const stream of streams) {
      await write(
        stream,
        old.map((sent) => ({ ...sent, ingestedAt: now - 90 * day })),
      );
      await write(stream, some(9, 2, 'gone'));
      await write(stream, events);
      await write(stream, events.slice(50, 90));
      await write(stream, [
        ...[
          { entity: 'c', expected: 0 },
          { entity: 'c', expected: 0 },
          { entity: 'c', expected: 1 },
        ],
        ...[
          { entity: 'entity-1', expected: 1 },
          { entity: 'entity-1', value: 'junk' },
        ],
      ]);
      await write(stream, some(50, 7));
    }
    await untilStored();
    ends = new Map();
    for (const stream of streams) {
      const offsets = await log.admin.offsets(names.ofStream(stream));
      for (const { partition, end } of offsets) ends.set(`${stream}/${partition}`, end);
      await test.store.eraser.expire({ stream, before: now - 30 * day });
      const name = stream.split('#')[0]!;
      const below = Object.fromEntries(offsets.map(({ partition, end }) => [partition, end]));
      for (const entity of ['gone-0', 'gone-1']) {
        erasures.erase(name, entity, Math.max(...Object.values(below)));
        await test.store.eraser.eraseEntity({ stream, entityHash: entityHash(name, entity), before: below });
      }
    }
    before = await tables();
    expect(before.events!.length).toBe(2 * (360 + 2 + 50));
    load = (async () => {
      while (writing) {
        for (const stream of streams) await write(stream, some(10, 3, 'live'));
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    })();
    await startScrub();
  });

  afterAll(async () => {
    writing = false;
    await load;
    await scrub.close();
    await materializer.close(1000);
    await log.close();
    await test.close();
    expect(failures).toEqual([]);
  });

  async function expectRepaired(): Promise<void> {
    await vi.waitFor(async () => expect(await tables()).toEqual(before), { timeout: 60_000, interval: 200 });
  }

  it.each([
    ['rows of events', 'DELETE FROM events WHERE offset % 3 = 0'],
    ['rows of events_by_entity', 'DELETE FROM events_by_entity WHERE offset % 3 = 1'],
    ['rows of positions', 'DELETE FROM positions WHERE partition = 0'],
    ['rows of entities', "DELETE FROM entities WHERE entity_id NOT LIKE 'old%'"],
    ['all events', 'DELETE FROM events WHERE true'],
  ])('repairs %s that are lost while events are written', async (_, statement) => {
    await scrub.close();
    await damage(statement);
    expect(await tables()).not.toEqual(before);
    await startScrub();
    await expectRepaired();
  });

  it('repairs the loss of data parts, of all tables at once', async () => {
    await scrub.close();
    await vi.waitFor(
      async () => {
        for (const table of ['events', 'events_by_entity']) await dropParts(table);
        // The parts that were not merged meanwhile can have events only that are written while the scrub runs.
        expect(await tables()).not.toEqual(before);
      },
      { timeout: 20_000 },
    );
    await startScrub();
    await expectRepaired();
  });

  it('leaves the events right that are written meanwhile, and reports those that the log does not have', async () => {
    expect(unlogged).toEqual([]);
    writing = false;
    await load;
    await untilStored();
    const versions = `SELECT stream, entity_id, count(), max(version) FROM (SELECT DISTINCT stream, entity_id, offset, version FROM events WHERE entity_id LIKE 'live%') GROUP BY ALL`;
    await vi.waitFor(
      async () => {
        const live = (await rowsOf(versions)) as [string, string, string, string][];
        expect(live.length).toBe(6);
        for (const [, , count, version] of live) expect(count).toBe(version);
      },
      { timeout: 40_000, interval: 200 },
    );
    const id = randomUUID();
    await damage(
      `INSERT INTO events SELECT stream, partition, offset, '${id}', event_type, '', 0, timestamp + 1, ingested_at, schema_version, metadata, data FROM events LIMIT 1`,
    );
    await vi.waitFor(() => expect(unlogged).toContain(id), { timeout: 40_000, interval: 200 });
    expect(new Set(unlogged)).toEqual(new Set([id]));
  });
});
