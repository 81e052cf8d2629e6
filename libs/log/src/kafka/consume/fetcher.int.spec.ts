import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../contract/recorder.js';
import type { Log, Producer } from '../../log.js';
import { ClusterClient } from '../cluster-client.js';
import { defaultBounds, type KafkaLogConfig } from '../config.js';
import { openKafkaLog } from '../kafka-log.js';
import type { Broker, ProtocolRequest } from '../kafkajs/internals.js';
import { silentLogger } from '../logger.js';
import { ByteReader } from './byte-reader.js';
import { fetchInSession } from './fetch-protocol.js';
import { fetchOutage } from './fetch-outage.js';
import { Fetcher } from './fetcher.js';
import { PartitionFeed } from './partition-feed.js';

const config: KafkaLogConfig = {
  brokers: (process.env['TEST_KAFKA_BROKERS'] ?? '').split(','),
  clientId: 'fetcher',
  replicationFactor: 1,
};

interface SentFetch {
  sessionId: number;
  sessionEpoch: number;
  /** `topic/partition` each. */
  places: string[];
  forgotten: string[];
}

/** A client of a real broker that notes what its fetches say. */
class WatchedClient extends ClusterClient {
  readonly fetches: SentFetch[] = [];

  override async broker(nodeId: number): Promise<Broker> {
    const broker = await super.broker(nodeId);
    const send = async <T>(request: ProtocolRequest<T>): Promise<T> => {
      this.fetches.push(await sentFetch(request));
      return broker.connectionPool.send(request);
    };
    return { ...broker, connectionPool: { ...broker.connectionPool, send } };
  }
}

/** Reads the request as it goes over the wire; see kafkajs/src/protocol/requests/fetch/v11/request.js. */
async function sentFetch({ request }: ProtocolRequest<unknown>): Promise<SentFetch> {
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
  return { sessionId, sessionEpoch, places: list(4 + 8 + 8 + 4), forgotten: list(0) };
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
  let feeds: Map<string, PartitionFeed>;
  let read: string[];
  let hold: Promise<void>;

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

  function follow(topic: string, partition: number, from = 0): PartitionFeed {
    const feed = new PartitionFeed({
      ...{ topic, partition, from },
      deliver: async ({ records }) => {
        read.push(...records.map(({ value }) => String(value)));
        await hold;
      },
      onError: (error) => expect.fail(String(error)),
    });
    feeds.set(`${topic}/${partition}`, feed);
    fetcher.add(feed);
    return feed;
  }

  /** From the end of each partition, so that specs do not meet each other's records. */
  async function followAll(): Promise<void> {
    feeds = new Map();
    read = [];
    hold = Promise.resolve();
    client = new WatchedClient(config);
    fetcher = new Fetcher({
      ...{ client, bounds: defaultBounds, logger: silentLogger, outage: fetchOutage(silentLogger) },
      onGone: (feed) => expect.fail(`${feed.topic} is gone`),
      onFatal: (error) => expect.fail(String(error)),
    });
    const ends = await Promise.all(topics.map((topic) => log.admin.offsets(topic)));
    topics.forEach((topic, i) => ends[i]?.forEach(({ partition, end }) => follow(topic, partition, end)));
    await quiet(3);
  }

  async function close(): Promise<void> {
    fetcher.close();
    await Promise.all([...feeds.values()].map((feed) => feed.close()));
    await client.close();
  }

  /** Until so many more fetches have been sent. */
  async function quiet(fetches: number): Promise<void> {
    const goal = client.fetches.length + fetches;
    await until(() => client.fetches.length >= goal, `${fetches} more fetches`);
  }

  const write = (topic: string, value: string) => producer.append([{ topic, partition: 1, key: 'k', value }]);

  it('names an idle partition in no fetch after the first', async () => {
    await followAll();
    await quiet(5);
    const [first, ...later] = client.fetches;
    expect(first?.places).toHaveLength(topicCount * partitionCount);
    expect(later.flatMap(({ places, forgotten }) => [...places, ...forgotten])).toEqual([]);
    expect(new Set(later.map(({ sessionId }) => sessionId)).size).toBe(1);
    await close();
  });

  it('hands over one record of one of them, and names only that partition again', async () => {
    await followAll();
    const before = client.fetches.length;
    await write(topics[42] as string, 'one');
    await until(() => read.length > 0, 'the record');
    await quiet(3);
    expect(read).toEqual(['one']);
    expect(client.fetches.slice(before).flatMap(({ places }) => places)).toEqual([`${topics[42]}/1`]);
    await close();
  });

  it('has a partition that is held back forgotten, and reads on when it has room', async () => {
    await followAll();
    const [slow, other] = [topics[1] as string, topics[2] as string];
    let release: () => void = () => undefined;
    hold = new Promise((resolve) => (release = resolve));
    await write(slow, 'a');
    await until(() => read.includes('a'), 'the first batch, which is being worked on');
    await write(slow, 'b');
    await until(() => client.fetches.some(({ forgotten }) => forgotten.includes(`${slow}/1`)), 'forgetting');
    await write(other, 'other');
    await until(() => read.includes('other'), 'the other partition, which is not held up');
    await write(slow, 'c');
    expect(read).not.toContain('b');
    release();
    await until(() => read.length === 4, 'what was held back');
    expect(read.filter((value) => value !== 'other')).toEqual(['a', 'b', 'c']);
    await close();
  });

  it('has what is taken away forgotten, and asks for what is added alone', async () => {
    await followAll();
    const [topic] = topics as [string];
    const gone = feeds.get(`${topic}/1`) as PartitionFeed;
    fetcher.remove(gone);
    await quiet(3);
    expect(client.fetches.flatMap(({ forgotten }) => forgotten)).toEqual([`${topic}/1`]);
    const before = client.fetches.length;
    await write(topic, 'meanwhile');
    follow(topic, 1, gone.next);
    await until(() => read.length > 0, 'what was written meanwhile');
    expect(read).toEqual(['meanwhile']);
    expect(new Set(client.fetches.slice(before).flatMap(({ places }) => places))).toEqual(
      new Set([`${topic}/1`]),
    );
    await close();
  });

  it.each([
    ['is not known to the broker any more', () => -1],
    ['has gone on without it', (epoch: number) => epoch + 1],
  ])('goes on with everything when its session %s', async (_what, stolenEpoch) => {
    await followAll();
    const before = client.fetches.length;
    const thief = new ClusterClient(config);
    const [topic] = topics as [string];
    const leader = (await thief.metadata([topic])).get(topic)?.[0]?.leader as number;
    const asksForAll = (): boolean =>
      client.fetches.slice(before).some(({ places }) => places.length === topicCount * partitionCount);
    await until(async () => {
      if (asksForAll()) return true;
      const { sessionId, sessionEpoch } = client.fetches.at(-1) as SentFetch;
      // A request in our session's name: ours is FETCH_SESSION_ID_NOT_FOUND or INVALID_FETCH_SESSION_EPOCH then.
      const stolen = { sessionId, sessionEpoch: stolenEpoch(sessionEpoch), places: [], forgotten: [] };
      const limits = { maxWaitMs: 0, maxBytes: 1, partitionBytes: 1 };
      await fetchInSession(await thief.broker(leader), stolen, limits);
      return false;
    }, 'a fetch of everything');
    await write(topics[7] as string, 'after');
    await until(() => read.includes('after'), 'what is written after');
    await thief.close();
    await close();
  });
});
