import { expect, it } from 'vitest';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { logOffsetsOf } from './describe-assignment.js';

/** A cluster in which one broker leads the partitions 0 and 1 of every topic, and partition 2 has no leader. */
function givenCluster({ unreachable = -1 } = {}) {
  const asked: string[] = [];
  const partitions = ['a', 'b'].flatMap((topic) =>
    [0, 1].map((partition) => ({ topic, partition, errorCode: 0 })),
  );
  const broker = {
    connectionPool: {
      send: async () => {
        asked.push('offsets');
        const offset = asked.filter((what) => what === 'offsets').length * 10;
        return partitions.map((one) => ({ ...one, offset }));
      },
    },
  };
  const client = {
    metadata: async (topics: readonly string[]) => {
      asked.push('metadata');
      const leaders = [7, 7, -1].map((leader, partitionId) => ({ leader, partitionId }));
      return new Map(topics.map((topic) => [topic, leaders]));
    },
    broker: async (node: number) => {
      if (node === unreachable) throw new Error('connect ECONNREFUSED');
      return broker;
    },
  };
  return { client: client as unknown as ClusterClient, asked };
}

it('finds the offsets of many partitions with as many requests as for one', async () => {
  const { client, asked } = givenCluster();
  const partitions = ['a', 'b'].flatMap((topic) => [0, 1, 2].map((partition) => ({ topic, partition })));
  const found = await logOffsetsOf(client, partitions);
  expect([...found.keys()].sort()).toEqual(['a/0', 'a/1', 'b/0', 'b/1']);
  expect(found.get('b/1')).toEqual({ beginning: 10, end: 20, leader: 7 });
  expect(asked).toEqual(['metadata', 'offsets', 'offsets']);
});

it('sends no request for an empty list of partitions, which would return all topics', async () => {
  const { client, asked } = givenCluster();
  expect((await logOffsetsOf(client, [])).size).toBe(0);
  expect(asked).toEqual([]);
});

it('omits the partitions of an unreachable broker', async () => {
  const { client } = givenCluster({ unreachable: 7 });
  expect((await logOffsetsOf(client, [{ topic: 'a', partition: 0 }])).size).toBe(0);
});
