import { partitionKey, type TopicPartition } from '../../topic-partition.js';
import { byLeader, type PartitionsByTopic } from './topic-offsets.js';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { byTopic } from '../encoding/by-topic.js';
import { ByteReader } from '../encoding/byte-reader.js';
import { GrowingBuffer } from '../encoding/growing-buffer.js';

type FoundSize = TopicPartition & { bytes: number };

const apiKey = 35;

/**
 * Returns the bytes that each topic takes on disk, summed over its partitions, without follower replicas. Sends one
 * DescribeLogDirs request to each broker that leads some of the partitions. Omits a topic if the size of one of its
 * partitions is unknown.
 */
export async function topicBytes(
  client: ClusterClient,
  topics: PartitionsByTopic,
): Promise<Map<string, number>> {
  const asked = [...byLeader(topics)].map(([leader, led]) => describeLogDirs(client, leader, led));
  const sizes = new Map((await Promise.all(asked)).flat().map((found) => [partitionKey(found), found.bytes]));
  const sums = new Map<string, number>();
  for (const [topic, partitions] of topics) {
    const known = partitions.map(({ partitionId: partition }) =>
      sizes.get(partitionKey({ topic, partition })),
    );
    if (!known.includes(undefined))
      sums.set(
        topic,
        known.reduce<number>((sum, one) => sum + one!, 0),
      );
  }
  return sums;
}

async function describeLogDirs(
  client: ClusterClient,
  leader: number,
  partitions: readonly TopicPartition[],
): Promise<FoundSize[]> {
  const broker = await client.broker(leader);
  const buffer = encode(partitions);
  const request = { apiKey, apiVersion: 1, apiName: 'DescribeLogDirs', encode: async () => ({ buffer }) };
  return broker.connectionPool.send({ request, response: { decode, parse } });
}

/**
 * Encodes the request:
 *
 *     DescribeLogDirs Request (Version: 1) => [topics]
 *       topics => topic [partitions]
 *         topic => STRING, partitions => INT32
 */
function encode(asked: readonly TopicPartition[]): Buffer {
  const out = new GrowingBuffer(4096);
  const topics = byTopic(asked, ({ partition }) => partition);
  out.int32(topics.length);
  for (const { topic, partitions } of topics) {
    out.string(topic);
    out.int32(partitions.length);
    for (const partition of partitions) out.int32(partition);
  }
  return out.filled();
}

/**
 * Decodes the response. A broker answers with no log folder if the client lacks the permission to describe the cluster.
 *
 *     DescribeLogDirs Response (Version: 1) => throttle_time_ms [results]
 *       throttle_time_ms => INT32
 *       results => error_code log_dir [topics]
 *         error_code => INT16, log_dir => STRING
 *         topics => name [partitions]
 *           name => STRING
 *           partitions => partition_index partition_size offset_lag is_future_key
 *             partition_index => INT32, partition_size => INT64, offset_lag => INT64, is_future_key => BOOLEAN
 */
async function decode(payload: Buffer): Promise<FoundSize[]> {
  const reader = new ByteReader(payload);
  const found: FoundSize[] = [];
  reader.skip(4);
  for (let folders = reader.int32(); folders > 0; folders--) {
    reader.skip(2);
    reader.string();
    for (let topics = reader.int32(); topics > 0; topics--) {
      const topic = reader.string() ?? '';
      for (let count = reader.int32(); count > 0; count--) {
        const [partition, bytes] = [reader.int32(), reader.int64()];
        reader.skip(8);
        // A future replica is a copy on its way to another folder.
        if (reader.int8() === 0) found.push({ topic, partition, bytes });
      }
    }
  }
  return found;
}

const parse = async (found: FoundSize[]): Promise<FoundSize[]> => found;
