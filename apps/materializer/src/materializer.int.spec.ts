import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { Erasures, StalledConsumerDetector } from '#engine';
import { allStreams } from '#api';
import { encodeRecord, entityHash, TopicAndGroupNames } from '#event';
import { erasureName, resourceKinds, openDefinitions, systemActor, type Definitions } from '#registry';
import { openKafkaLog, type Log, type Producer } from '#kafka';
import {
  openClickHouse,
  type EventRowBatch,
  type EventRow,
  type Store,
  type PartitionShard,
  type ScrubbedEvent,
  type OffsetRange,
} from '#store';
import { createLogger } from '#telemetry';
import { freshNames, testClickHouse, testEngines } from '#testkit';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Materializer } from './materializer.js';
import type { MaterializerStore } from './partition/materializer-dependencies.js';
import { followStreams } from './fetch/stream-subscription.js';

interface Sent {
  id: string;
  entity: string | null;
}

/** A simulated materializer process with its own connections and its own event writer. */
interface MaterializerProcess {
  materializer: Materializer;
  log: Log;
  store: Store;
  definitions: Definitions;
  stopFollowing(): void;
}

/**
 * An event writer that calls `afterInsert` between an insert and the commit of its offsets, so that a spec can fail or
 * wait there.
 */
class InterruptedWriter implements MaterializerStore {
  afterInsert: (rows: readonly EventRow[]) => Promise<void> = async () => undefined;
  constructor(private readonly writer: MaterializerStore) {}
  async appendRowBatches(blocks: readonly EventRowBatch[], token: string): Promise<void> {
    await this.writer.appendRowBatches(blocks, token);
    await this.afterInsert(blocks.flatMap((block) => block.rows()));
  }
  appendDeadLetters(letters: Parameters<MaterializerStore['appendDeadLetters']>[0]): Promise<void> {
    return this.writer.appendDeadLetters(letters);
  }
  shardOf(stream: string, partition: number): Promise<PartitionShard> {
    return this.writer.shardOf(stream, partition);
  }
  lastStoredOffset(stream: string, partition: number): Promise<number | undefined> {
    return this.writer.lastStoredOffset(stream, partition);
  }

  storedEvents(range: OffsetRange): Promise<ScrubbedEvent[]> {
    return this.writer.storedEvents(range);
  }
  async countFrom(query: Parameters<MaterializerStore['countFrom']>[0]): Promise<number> {
    return this.writer.countFrom(query);
  }

  async eventsAt(query: Parameters<MaterializerStore['eventsAt']>[0]): Promise<EventRow[]> {
    return this.writer.eventsAt(query);
  }

  latestVersions(query: Parameters<MaterializerStore['latestVersions']>[0]): Promise<Map<string, number>> {
    return this.writer.latestVersions(query);
  }
  versionsOf(query: Parameters<MaterializerStore['versionsOf']>[0]): Promise<Map<string, number | null>> {
    return this.writer.versionsOf(query);
  }
  offsetsOf(query: Parameters<MaterializerStore['offsetsOf']>[0]): Promise<Map<string, number[]>> {
    return this.writer.offsetsOf(query);
  }
  idsIn(range: OffsetRange): Promise<Uint32Array> {
    return this.writer.idsIn(range);
  }
}

describe('Materializer with Kafka and ClickHouse', () => {
  const { topicPrefix, database } = freshNames();
  const names = new TopicAndGroupNames(topicPrefix);
  const failures: Error[] = [];
  const members = new Set<MaterializerProcess>();
  let admin: MaterializerProcess;
  let producer: Producer;
  let stream: string;
  let topic: string;

  const openLog = () =>
    openKafkaLog({
      brokers: testEngines().kafkaBrokers.split(','),
      clientId: `test-${randomUUID()}`,
      replicationFactor: 1,
      bounds: { heartbeatMs: 200, sessionTimeoutMs: 6_000, subscribeDebounceMs: 50 },
    });
  const openStore = () => openClickHouse(testClickHouse(database));

  async function start(
    wrap: (writer: MaterializerStore) => MaterializerStore = (writer) => writer,
  ): Promise<MaterializerProcess> {
    const log = openLog();
    const store = openStore();
    const definitions = openDefinitions({
      log,
      names,
      defaults: { partitions: 4 },
      kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
    });
    const materializer = new Materializer({
      eraser: store.eraser,
      writeBackEvents: 1000,
      ...{ log, topics: names, progress: new StalledConsumerDetector(), writer: wrap(store.writer) },
      logger: createLogger({ name: 'test', level: 'silent' }),
      window: { records: 10_000, milliseconds: 3_600_000 },
      far: { milliseconds: 0 },
      farBytes: 0,
      erasures: new Erasures(definitions),
      cachedEntities: 50,
      limits: { insertRows: 500, insertBytes: 1_000_000, intervalMs: 20, queueBytes: 2_000_000 },
      retryDelays: { firstDelayMs: 10, longestDelayMs: 100 },
      onFailure: (error) => failures.push(error),
    });
    await definitions.start();
    const stopFollowing = followStreams(definitions, {
      subscribe: (ids) => materializer.subscribe(ids),
      failed: (error) => failures.push(error as Error),
    });
    const member = { materializer, log, store, definitions, stopFollowing };
    members.add(member);
    return member;
  }

  async function stop(member: MaterializerProcess, flushMs = 5000): Promise<void> {
    if (!members.delete(member)) return;
    member.stopFollowing();
    await member.materializer.close(flushMs);
    await member.definitions.close();
    await member.log.close();
    await member.store.close();
  }

  beforeEach(async () => {
    await openStore().migrate();
    admin = await start();
    producer = await admin.log.producer();
    stream = `stream-${randomUUID()}`;
    await made();
  });

  async function made(): Promise<void> {
    const { definition } = await admin.definitions.createStream({ stream, partitions: 4 }, systemActor);
    topic = names.ofStream(definition.id);
  }

  afterEach(async () => {
    await Promise.all([...members].map((member) => stop(member)));
    expect(failures).toEqual([]);
  });

  async function write(events: (Sent & { value?: string })[]): Promise<void> {
    await producer.append(
      events.map(({ id, entity, value }) => ({
        topic,
        key: entity ?? id,
        value:
          value ??
          encodeRecord({
            event_id: id,
            event_type: 'happened',
            entity_id: entity,
            timestamp: Date.now() * 1000,
            ingested_at: Date.now() * 1000,
            schema_version: null,
            metadata: '{"source":"test"}',
            data: `{"id":"${id}","n":9007199254740993}`,
          }),
      })),
    );
  }

  const some = (count: number, entities: number): Sent[] =>
    Array.from({ length: count }, (_, i) => ({ id: randomUUID(), entity: `entity-${i % entities}` }));

  async function untilDone(): Promise<void> {
    const log = openLog();
    try {
      await vi.waitFor(
        async () => {
          const done = await log.admin.committed(names.materializerGroup, topic);
          for (const { partition, end } of await log.admin.offsets(topic))
            expect(done.get(partition) ?? 0).toBe(end);
        },
        { timeout: 40_000, interval: 50 },
      );
    } finally {
      await log.close();
    }
  }

  /**
   * Expects that every sent event is stored once, and that each entity has the versions 1, 2, 3 … in the order of
   * sending.
   */
  async function expectExactly(sent: Sent[]): Promise<void> {
    const store = openStore();
    const { items, nextCursor } = await store.reader.query({
      access: allStreams,
      streams: [names.streamOf(topic)!],
      order: 'asc',
      limit: 10_000,
    });
    await store.close();
    expect(nextCursor).toBeUndefined();
    expect(items.map(({ event_id }) => event_id).sort()).toEqual(sent.map(({ id }) => id).sort());
    for (const entity of new Set(sent.map((event) => event.entity))) {
      const expected = sent
        .filter((event) => event.entity === entity)
        .map(({ id }, i) => [id, entity && i + 1]);
      const found = items.filter((event) => event.entity_id === entity).sort((a, b) => a.offset - b.offset);
      if (entity !== null)
        expect(found.map(({ event_id, version }) => [event_id, version])).toEqual(expected);
      else expect(found.every(({ version }) => version === null)).toBe(true);
    }
  }

  it('stores a stream that is created after its start, each repeated id once, and junk as dead letters', async () => {
    const events = [...some(300, 7), { id: randomUUID(), entity: null }];
    await write(events);
    await write(events.slice(0, 50));
    await write([{ id: randomUUID(), entity: 'entity-1', value: 'junk' }]);
    const more = some(100, 7);
    await write(more);
    await untilDone();
    await expectExactly([...events, ...more]);
    const { items } = await admin.store.reader.deadLetters({ access: allStreams, limit: 100 });
    const ours = items.filter((letter) => letter.stream === stream);
    expect(ours).toMatchObject([{ source: 'materializer', reason: 'unreadable', event: 'junk' }]);
  });

  it('stores no event twice when it dies between the insert and the commit', async () => {
    await stop(admin);
    let interrupted = false;
    const dying = await start((writer) => {
      const own = new InterruptedWriter(writer);
      own.afterInsert = () => {
        interrupted = true;
        return new Promise(() => undefined);
      };
      return own;
    });
    producer = await dying.log.producer();
    const events = some(200, 5);
    await write(events);
    await vi.waitFor(() => expect(interrupted).toBe(true), { timeout: 20_000 });
    await stop(dying, 1);
    admin = await start();
    producer = await admin.log.producer();
    const more = some(200, 5);
    await write([...events.slice(0, 20), ...more]);
    await untilDone();
    await expectExactly([...events, ...more]);
  });

  it('loses and duplicates no event while members join and leave under load', async () => {
    const sent: Sent[] = [];
    let writing = true;
    const load = (async () => {
      while (writing) {
        const events = some(40, 11);
        sent.push(...events);
        await write(events);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    const second = await start();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const third = await start();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await stop(second, 1);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await stop(third);
    writing = false;
    await load;
    await untilDone();
    await expectExactly(sent);
  });

  it('reads a recreated stream from its beginning, and no event of the deleted stream remains', async () => {
    await write(some(200, 5));
    await untilDone();
    const { store, definitions } = admin;
    // The spec does not wait until these events are stored. Events that are still being written must not appear in the
    // recreated stream.
    await write(some(200, 5));
    await definitions.deleteStream(stream, (id) => store.eraser.dropStream(id), systemActor);
    await made();
    const events = some(50, 5);
    await vi.waitFor(() => write(events.slice(0, 1)), { timeout: 20_000, interval: 100 });
    await write(events.slice(1));
    await untilDone();
    await expectExactly(events);
  });

  it('reads a topic that another client recreated from its beginning', async () => {
    const { log } = admin;
    const former = some(100, 5);
    await write(former);
    await untilDone();
    await log.admin.remove(topic);
    await vi.waitFor(async () => expect(await log.admin.partitions(topic)).toBeUndefined(), 20_000);
    await log.admin.create(topic, { partitions: 4 });
    const later = some(50, 5);
    await vi.waitFor(() => write(later.slice(0, 1)), { timeout: 20_000, interval: 100 });
    await write(later.slice(1));
    await untilDone();
    const { items } = await admin.store.reader.query({
      access: allStreams,
      streams: [names.streamOf(topic)!],
      order: 'asc',
      limit: 1000,
    });
    expect(items.map(({ event_id }) => event_id).sort()).toEqual(
      [...former, ...later].map(({ id }) => id).sort(),
    );
  });

  it('skips the events of an entity that another process erased, and stores the later ones', async () => {
    const other = openDefinitions({
      log: admin.log,
      names,
      defaults: { partitions: 4 },
      kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
    });
    await other.start();
    const entity_hash = entityHash(stream, 'ann');
    const before = { 0: 3, 1: 3, 2: 3, 3: 3 };
    const erased_at = new Date().toISOString();
    const erasure = { stream: other.stream(stream)!.id, entity_hash, before, erased_at };
    await other.erasures.change(erasureName(erasure), () => erasure, systemActor);
    await other.close();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const events = Array.from({ length: 5 }, () => ({ id: randomUUID(), entity: 'ann' }));
    await write(events);
    await untilDone();
    await expectExactly(events.slice(3));
  });
});
