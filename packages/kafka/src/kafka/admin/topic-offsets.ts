import type { PartitionOffsetRange } from '../../log.js';
import { addTo, partitionKey, type TopicPartition } from '../../topic-partition.js';
import { earliest, latest, type ClusterClient } from '../cluster/cluster-client.js';
import { ByteReader } from '../encoding/byte-reader.js';
import { byTopic } from '../encoding/by-topic.js';
import { listOffsetsRequestV2, type PartitionMetadata } from '../kafkajs/internals.js';

/** The partitions of topics that a Kafka metadata response lists. */
export type PartitionsByTopic = ReadonlyMap<string, readonly PartitionMetadata[]>;

type FoundOffset = TopicPartition & { errorCode: number; offset: number };

const readCommitted = 1;

/**
 * Returns the first and next offsets of many partitions, by topic and sorted by partition. Sends two ListOffsets
 * requests to each broker that leads some of the partitions. Omits partitions that have no leader or that their leader
 * does not know.
 * @param failed handles the error of an unreachable broker, whose partitions are then omitted; rethrows by default
 */
export async function topicOffsets(
  client: ClusterClient,
  topics: PartitionsByTopic,
  failed = (error: unknown): void => {
    throw error;
  },
): Promise<Map<string, PartitionOffsetRange[]>> {
  const asked = [...byLeader(topics)].map(async ([leader, partitions]) => {
    try {
      const [beginnings, ends] = await Promise.all([
        listOffsets(client, { leader, partitions, timestamp: earliest }),
        listOffsets(client, { leader, partitions, timestamp: latest }),
      ]);
      return joinOffsets(beginnings, ends);
    } catch (error) {
      failed(error);
      return [];
    }
  });
  const found = new Map<string, PartitionOffsetRange[]>();
  for (const { topic, ...offsets } of (await Promise.all(asked)).flat()) addTo(found, topic, offsets);
  for (const partitions of found.values()) partitions.sort((a, b) => a.partition - b.partition);
  return found;
}

/** Groups partitions by the node id of the broker that leads them. Omits partitions without a leader. */
export function byLeader(topics: PartitionsByTopic): Map<number, TopicPartition[]> {
  const groups = new Map<number, TopicPartition[]>();
  for (const [topic, partitions] of topics)
    for (const { partitionId: partition, leader } of partitions)
      if (leader >= 0) addTo(groups, leader, { topic, partition });
  return groups;
}

function joinOffsets(
  beginnings: readonly FoundOffset[],
  ends: readonly FoundOffset[],
): (PartitionOffsetRange & TopicPartition)[] {
  const beginningOf = new Map(beginnings.map((found) => [partitionKey(found), found.offset]));
  return ends.flatMap(({ topic, partition, offset: end }) => {
    const beginning = beginningOf.get(partitionKey({ topic, partition }));
    return beginning === undefined ? [] : [{ topic, partition, beginning, end }];
  });
}

async function listOffsets(
  client: ClusterClient,
  {
    leader,
    partitions,
    timestamp,
  }: { leader: number; partitions: readonly TopicPartition[]; timestamp: number },
): Promise<FoundOffset[]> {
  const broker = await client.broker(leader);
  const request = listOffsetsRequestV2({
    replicaId: -1,
    isolationLevel: readCommitted,
    topics: byTopic(partitions, ({ partition }) => ({ partition, timestamp })),
  });
  const found = await broker.connectionPool.send({ request, response: { decode, parse } });
  return found.filter(({ errorCode }) => errorCode === 0);
}

const parse = async (found: FoundOffset[]): Promise<FoundOffset[]> => found;

/**
 * Decodes the response, including partitions with an error. kafkajs' own decoder fails the whole response for one such
 * partition.
 *
 *     ListOffsets Response (Version: 2) => throttle_time_ms [responses]
 *       throttle_time_ms => INT32
 *       responses => topic [partition_responses]
 *         topic => STRING
 *         partition_responses => partition error_code timestamp offset
 *           partition => INT32, error_code => INT16, timestamp => INT64, offset => INT64
 */
async function decode(payload: Buffer): Promise<FoundOffset[]> {
  const reader = new ByteReader(payload);
  const found: FoundOffset[] = [];
  reader.skip(4);
  for (let topics = reader.int32(); topics > 0; topics--) {
    const topic = reader.string() ?? '';
    for (let count = reader.int32(); count > 0; count--) {
      const [partition, errorCode] = [reader.int32(), reader.int16()];
      reader.skip(8);
      found.push({ topic, partition, errorCode, offset: reader.int64() });
    }
  }
  return found;
}
