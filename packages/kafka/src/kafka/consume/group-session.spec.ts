import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { defaultKafkaLogLimits } from '../cluster/kafka-log-options.js';
import { silentLogger } from '../cluster/logger.js';
import { fetchOutage } from './fetcher.js';
import type { GroupGeneration } from './group-generation.js';
import { GroupSession } from './group-session.js';

const never = new Promise<never>(() => undefined);
const topics = Array.from({ length: 50 }, (_, i) => `t${i}`);
const partitions = [0, 1, 2, 3];
const listOffsets = 2;

/**
 * A cluster in which two brokers lead every second partition each. The second broker is unreachable until it is `up`.
 */
function givenCluster() {
  const asked = { metadata: 0, up: false };
  const send = async ({ request }: { request: { apiKey: number } }, node: number): Promise<unknown> => {
    if (request.apiKey !== listOffsets) return never;
    const led = partitions.filter((partition) => partition % 2 === node);
    return topics.flatMap((topic) => led.map((partition) => ({ topic, partition, errorCode: 0, offset: 0 })));
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

  function given() {
    const { client, asked } = givenCluster();
    const positions = new Map<string, number>();
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
        committed: async (places) => places.map((place) => ({ ...place, offset: 0, leaderEpoch: -1 })),
      },
      handler: {
        assigned: async ({ topic, partition, position }) => {
          positions.set(`${topic}/${partition}`, position);
          return position;
        },
        batch: async () => undefined,
        revoked: () => revoked++,
      },
      generation: generation(false),
      busy: new Map(),
      read: new Map(),
      onFatal: () => undefined,
    });
    return { asked, positions, revokedCount: () => revoked };
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
});
