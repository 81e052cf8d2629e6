import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../contract/recording-consumer.js';
import type { Log, MemoryShare, Producer } from '../../log.js';
import { ClusterClient } from '../cluster/cluster-client.js';
import { defaultKafkaLogLimits, type KafkaLogOptions } from '../cluster/kafka-log-options.js';
import { openKafkaLog } from '../kafka-log.js';
import type { KafkajsBroker, RequestWithResponseDecoder } from '../kafkajs/internals.js';
import { silentLogger } from '../cluster/logger.js';
import { ByteReader } from '../encoding/byte-reader.js';
import { fetchInSession } from './fetch-protocol.js';
import { fetchOutage, Fetcher } from './fetcher.js';
import { PartitionBuffer } from './partition-buffer.js';

const config: KafkaLogOptions = {
  brokers: (process.env['TEST_KAFKA_BROKERS'] ?? '').split(','),
  clientId: 'fetcher',
  replicationFactor: 1,
};

interface SentFetch {
  sessionId: number;
  sessionEpoch: number;
  /** Partitions, each as `topic/partition`. */
  positions: string[];
  forgotten: string[];
}

/** A client of a real broker that records the content of its fetch requests. */
class WatchedClient extends ClusterClient {
  readonly fetches: SentFetch[] = [];

  override async broker(nodeId: number): Promise<KafkajsBroker> {
    const broker = await super.broker(nodeId);
    const send = async <T>(request: RequestWithResponseDecoder<T>): Promise<T> => {
      this.fetches.push(await sentFetch(request));
      return broker.connectionPool.send(request);
    };
    return { ...broker, connectionPool: { ...broker.connectionPool, send } };
  }
}

/** Decodes a fetch request from its wire format; see kafkajs/src/protocol/requests/fetch/v11/request.js. */
async function sentFetch({ request }: RequestWithResponseDecoder<unknown>): Promise<SentFetch> {
  const { encode } = request as { encode: () => Promise<{ buffer: Buffer }> };
  const reader = new ByteReader((await encode()).buffer);
  reader.skip(4 + 4 + 4 + 4 + 1);
  const [sessionId, sessionEpoch] = [reader.int32(), reader.int32()];
  const list = (skipped: number): string[] => {
    const found: string[] = [];
    for (let topics = reader.int32(); topics > 0; topics--) {
      const topic = reader.string();
      for (let count = reader.int32(); count > 0; count--) {
        found.push(`${topic}/${reader.int32()}`);
        reader.skip(skipped);
      }
    }
    return found;
  };
  return { sessionId, sessionEpoch, positions: list(4 + 8 + 8 + 4), forgotten: list(0) };
}

const topicCount = 100;
const partitionCount = 5;

describe('a fetcher of 500 partitions', () => {
  const prefix = `fetcher.${randomUUID().slice(0, 8)}.`;
  const topics = Array.from({ length: topicCount }, (_, i) => `${prefix}${i}`);
  let log: Log;
  let producer: Producer;
  let client: WatchedClient;
  let fetcher: Fetcher;
  let buffers: Map<string, PartitionBuffer>;
  let read: string[];
  let hold: Promise<void>;
  let bounds = defaultKafkaLogLimits;
  let shareOf: (topic: string) => MemoryShare | undefined = () => undefined;

  beforeAll(async () => {
    log = openKafkaLog(config);
    producer = await log.producer();
    for (let i = 0; i < topics.length; i += 20) {
      await Promise.all(
        topics.slice(i, i + 20).map((topic) => log.admin.create(topic, { partitions: partitionCount })),
      );
    }
  });

  afterAll(async () => {
    await Promise.all(topics.map((topic) => log.admin.remove(topic)));
    await log.close();
  });

  function follow(topic: string, partition: number, from = 0): PartitionBuffer {
    const buffer = new PartitionBuffer({
      ...{ topic, partition, from, share: shareOf(topic) },
      deliver: async ({ records }) => {
        read.push(...records.map(({ value }) => String(value)));
        if (shareOf(topic)?.name !== 'other') await hold;
      },
      onError: (error) => expect.fail(String(error)),
    });
    buffers.set(`${topic}/${partition}`, buffer);
    fetcher.add(buffer);
    return buffer;
  }

  /** Follows every partition from its end, so that specs do not read the records of each other. */
  async function followAll(): Promise<void> {
    buffers = new Map();
    read = [];
    hold = Promise.resolve();
    client = new WatchedClient(config);
    fetcher = new Fetcher({
      ...{ client, bounds, logger: silentLogger, outage: fetchOutage(silentLogger) },
      onGone: (buffer) => expect.fail(`${buffer.topic} is gone`),
      onFatal: (error) => expect.fail(String(error)),
    });
    const ends = await Promise.all(topics.map((topic) => log.admin.offsets(topic)));
    topics.forEach((topic, i) => ends[i]?.forEach(({ partition, end }) => follow(topic, partition, end)));
    await quiet(3);
  }

  async function close(): Promise<void> {
    fetcher.close();
    await Promise.all([...buffers.values()].map((buffer) => buffer.close()));
    await client.close();
  }

  /** Waits until so many more fetches have been sent. */
  async function quiet(fetches: number): Promise<void> {
    const goal = client.fetches.length + fetches;
    await until(() => client.fetches.length >= goal, `${fetches} more fetches`);
  }

  const write = (topic: string, value: string) => producer.append([{ topic, partition: 1, key: 'k', value }]);

  it('names an idle partition only in the first fetch', async () => {
    await followAll();
    await quiet(5);
    const [first, ...later] = client.fetches;
    expect(first?.positions).toHaveLength(topicCount * partitionCount);
    expect(later.flatMap(({ positions, forgotten }) => [...positions, ...forgotten])).toEqual([]);
    expect(new Set(later.map(({ sessionId }) => sessionId)).size).toBe(1);
    await close();
  });

  it('delivers one record of one partition, and names only that partition again', async () => {
    await followAll();
    const before = client.fetches.length;
    await write(topics[42] as string, 'one');
    await until(() => read.length > 0, 'the record');
    await quiet(3);
    expect(read).toEqual(['one']);
    expect(client.fetches.slice(before).flatMap(({ positions }) => positions)).toEqual([`${topics[42]}/1`]);
    await close();
  });

  it('removes a paused partition from its session, and continues to read it when there is room', async () => {
    await followAll();
    const [slow, other] = [topics[1] as string, topics[2] as string];
    let release: () => void = () => undefined;
    hold = new Promise((resolve) => (release = resolve));
    await write(slow, 'a');
    await until(() => read.includes('a'), 'the first batch, which is being processed');
    await write(slow, 'b');
    await until(
      () => client.fetches.some(({ forgotten }) => forgotten.includes(`${slow}/1`)),
      'the removal from the session',
    );
    await write(other, 'other');
    await until(() => read.includes('other'), 'the other partition, which is not delayed');
    await write(slow, 'c');
    expect(read).not.toContain('b');
    release();
    await until(() => read.length === 4, 'the records of the paused partition');
    expect(read.filter((value) => value !== 'other')).toEqual(['a', 'b', 'c']);
    await close();
  });

  it('given a share of the memory that is used up, fetches the partitions of the other, and its own when there is room', async () => {
    const [slow, other] = [topics[3] as string, topics[4] as string];
    bounds = { ...defaultKafkaLogLimits, consumeBytes: 60_000, fetchPartitionBytes: 10_000 };
    shareOf = (topic) => ({ name: topic === slow ? 'slow' : 'other', shares: 2 });
    await followAll();
    let release: () => void = () => undefined;
    hold = new Promise((resolve) => (release = resolve));
    const writeAll = async (topic: string, value: string) => {
      for (const partition of Array(partitionCount).keys())
        for (let n = 0; n < 3; n++) await producer.append([{ topic, partition, key: 'k', value }]);
    };
    await writeAll(slow, 's'.repeat(9_000));
    await until(() => read.length >= 2, 'batches that are being processed');
    await writeAll(other, 'o'.repeat(9_000));
    const countOf = (letter: string) => read.filter((value) => value.startsWith(letter)).length;
    await until(() => countOf('o') === 3 * partitionCount, 'the partitions of the other share');
    // Half of the memory has three of these batches, and exceeds it by one at most.
    expect(countOf('s')).toBeLessThanOrEqual(4);
    release();
    await until(() => countOf('s') === 3 * partitionCount, 'the partitions whose share was used up');
    await close();
    bounds = defaultKafkaLogLimits;
    shareOf = () => undefined;
  });

  it('removes a removed partition from its session, and then names only an added partition', async () => {
    await followAll();
    const [topic] = topics as [string];
    const gone = buffers.get(`${topic}/1`) as PartitionBuffer;
    fetcher.remove(gone);
    await quiet(3);
    expect(client.fetches.flatMap(({ forgotten }) => forgotten)).toEqual([`${topic}/1`]);
    const before = client.fetches.length;
    await write(topic, 'meanwhile');
    follow(topic, 1, gone.next);
    await until(() => read.length > 0, 'the record that was written meanwhile');
    expect(read).toEqual(['meanwhile']);
    expect(new Set(client.fetches.slice(before).flatMap(({ positions }) => positions))).toEqual(
      new Set([`${topic}/1`]),
    );
    await close();
  });

  it.each([
    ['is no longer known to the broker', () => -1],
    ['has been advanced by another client', (epoch: number) => epoch + 1],
  ])('names all partitions again if its session %s', async (_what, stolenEpoch) => {
    await followAll();
    const before = client.fetches.length;
    const thief = new ClusterClient(config);
    const [topic] = topics as [string];
    const leader = (await thief.metadata([topic])).get(topic)?.[0]?.leader as number;
    const asksForAll = (): boolean =>
      client.fetches.slice(before).some(({ positions }) => positions.length === topicCount * partitionCount);
    await until(async () => {
      if (asksForAll()) return true;
      const { sessionId, sessionEpoch } = client.fetches.at(-1) as SentFetch;
      // After a request with the session id of the fetcher, its own next request fails: FETCH_SESSION_ID_NOT_FOUND or
      // INVALID_FETCH_SESSION_EPOCH.
      const stolen = { sessionId, sessionEpoch: stolenEpoch(sessionEpoch), positions: [], forgotten: [] };
      const limits = { maxWaitMs: 0, maxBytes: 1, partitionBytes: 1 };
      await fetchInSession(await thief.broker(leader), stolen, limits);
      return false;
    }, 'a fetch of all partitions');
    await write(topics[7] as string, 'after');
    await until(() => read.includes('after'), 'the record that is written after that');
    await thief.close();
    await close();
  });
});
