import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { TopicPartition } from '../../topic-partition.js';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { defaultKafkaLogLimits } from '../cluster/kafka-log-options.js';
import { silentLogger } from '../cluster/logger.js';
import { fetchOutage } from './fetcher.js';
import type { GroupGeneration } from './group-generation.js';
import { GroupSession } from './group-session.js';
import { unknownEpoch, type EpochPosition } from '../../epoch-position.js';

const never = new Promise<never>(() => undefined);
const topics = Array.from({ length: 50 }, (_, i) => `t${i}`);
const partitions = [0, 1, 2, 3];
const listOffsets = 2;
const offsetForLeaderEpoch = 23;
const notLeader = 6;
/** The time -2 of a ListOffsets request, as an INT64. */
const earliest = Buffer.from('fffffffffffffffe', 'hex');

interface KafkaRequest {
  apiKey: number;
  encode(): Promise<{ buffer: Buffer }>;
}

/**
 * A cluster in which two brokers lead every second partition each. The second broker is unreachable until it is `up`. The
 * log of each partition ends at offset 30; leader epoch 1 ended at `epochEnd`.
 */
function givenCluster() {
  const asked = { metadata: 0, epochs: 0, up: false, moving: '', epochEnd: 30 };
  const send = async ({ request }: { request: KafkaRequest }, node: number): Promise<unknown> => {
    if (![listOffsets, offsetForLeaderEpoch].includes(request.apiKey)) return never;
    const led = partitions.filter((partition) => partition % 2 === node);
    const all = topics.flatMap((topic) => led.map((partition) => ({ topic, partition })));
    if (request.apiKey === listOffsets) {
      const offset = (await request.encode()).buffer.includes(earliest) ? 0 : 30;
      return all.map((one) => ({ ...one, errorCode: 0, offset }));
    }
    asked.epochs++;
    return all.map((one) => ({
      ...one,
      errorCode: asked.moving === `${one.topic}/${one.partition}` ? notLeader : 0,
      endOffset: asked.epochEnd,
    }));
  };
  const client = {
    metadata: async (names: readonly string[]) => {
      asked.metadata++;
      const all = partitions.map((partitionId) => ({
        partitionErrorCode: 0,
        partitionId,
        leader: partitionId % 2,
      }));
      return new Map(names.map((name) => [name, all]));
    },
    broker: async (node: number) => {
      if (node === 1 && !asked.up) throw new Error('connect ECONNREFUSED');
      return { connectionPool: { send: (asked: never) => send(asked, node) } };
    },
  };
  return { client: client as unknown as ClusterClient, asked };
}

describe('the partitions of a member', () => {
  let session: GroupSession;
  afterEach(() => session.end());

  const generation = (owns: boolean): GroupGeneration => ({
    ...{ id: 1, memberId: 'm', topics, partitionsOf: new Map(topics.map((topic) => [topic, 4])) },
    assignment: new Map(owns ? topics.map((topic) => [topic, partitions]) : []),
  });

  function given({ committed = { offset: 0, leaderEpoch: unknownEpoch } } = {}) {
    const { client, asked } = givenCluster();
    const positions = new Map<string, number>();
    const lost: string[] = [];
    const read = new Map<string, TopicPartition & EpochPosition>();
    let revoked = 0;
    session = new GroupSession({
      ...{
        client,
        fetching: client,
        bounds: defaultKafkaLogLimits,
        logger: silentLogger,
        outage: fetchOutage(silentLogger),
      },
      membership: {
        committed: async (places) => places.map((place) => ({ ...place, ...committed })),
      },
      handler: {
        assigned: async ({ topic, partition, position, ...assignment }) => {
          positions.set(`${topic}/${partition}`, position);
          if (assignment.lost) lost.push(`${topic}/${partition}`);
          return position;
        },
        batch: async () => undefined,
        revoked: () => revoked++,
      },
      generation: generation(false),
      busy: new Map(),
      read,
      onFatal: () => undefined,
    });
    return { asked, positions, lost, read, revokedCount: () => revoked };
  }

  it('are opened if their broker responds, and the others are looked up together until theirs responds', async () => {
    const { asked, positions } = given();
    session.adopt(generation(true));
    await expect.poll(() => positions.size).toBe(100);
    asked.metadata = 0;
    await sleep(1_000);
    expect(positions.size).toBe(100);
    // A separate lookup for each of the hundred partitions would cause about three hundred requests.
    expect(asked.metadata).toBeLessThan(30);
    asked.up = true;
    await expect.poll(() => positions.size, { timeout: 10_000 }).toBe(200);
  });

  it('are not looked up if a generation assigns none', async () => {
    const { asked } = given();
    for (let i = 0; i < 5; i++) session.adopt(generation(false));
    await sleep(50);
    expect(asked.metadata).toBe(0);
  });

  it('are opened again if their topic may have been recreated since they were opened', async () => {
    const { asked, positions, revokedCount } = given();
    session.adopt(generation(true));
    await expect.poll(() => positions.size).toBe(100);
    session.reassign('t0');
    asked.up = true;
    // Two partitions of the topic were open, and two waited for their broker.
    await expect.poll(revokedCount, { timeout: 10_000 }).toBe(4);
  });

  it('are checked together, although one of them has another leader meanwhile', async () => {
    const { asked, positions } = given({ committed: { offset: 20, leaderEpoch: 1 } });
    asked.up = true;
    asked.moving = 't0/0';
    session.adopt(generation(true));
    await expect.poll(() => positions.size).toBe(199);
    // A separate check of each of the two hundred partitions would cause about eight hundred requests.
    expect(asked.epochs + asked.metadata).toBeLessThan(30);
    asked.moving = '';
    await expect.poll(() => positions.size).toBe(200);
  });

  it('are checked together when their broker responds late', async () => {
    const { asked, positions } = given({ committed: { offset: 20, leaderEpoch: 1 } });
    session.adopt(generation(true));
    await expect.poll(() => positions.size).toBe(100);
    [asked.metadata, asked.epochs, asked.up] = [0, 0, true];
    await expect.poll(() => positions.size, { timeout: 10_000 }).toBe(200);
    expect(asked.epochs + asked.metadata).toBeLessThan(30);
  });

  it('have lost nothing that the member knows of, if another member has read a later leader since', async () => {
    const { asked, positions, lost, read } = given({ committed: { offset: 20, leaderEpoch: 1 } });
    for (const topic of topics)
      for (const partition of partitions)
        read.set(`${topic}/${partition}`, { topic, partition, offset: 25, leaderEpoch: 0 });
    asked.up = true;
    asked.epochEnd = 24;
    session.adopt(generation(true));
    await expect.poll(() => positions.size).toBe(200);
    expect(lost).toEqual([]);
    expect(positions.get('t0/0')).toBe(20);
  });

  it('are forgotten when their topic is released, although another member owns them', async () => {
    const { read } = given();
    for (const topic of ['t0', 't1'])
      read.set(`${topic}/0`, { topic, partition: 0, offset: 25, leaderEpoch: 1 });
    await session.releaseTopics(new Set(['t0']), 0);
    expect([...read.keys()]).toEqual(['t1/0']);
  });
});
