import { LogUnavailableError } from '../../errors.js';
import type { NewlyAssignedPartition } from '../../log.js';
import { latest, type ClusterClient } from '../cluster-client.js';
import type { KafkaLogLimits } from '../kafka-log-options.js';
import { isFatal } from '../kafka-errors.js';
import { topicOffsets } from '../topic-offsets.js';
import type { TopicPartition } from '../../topic-partition.js';
import { keyOf } from './group-session-partition.js';
import { recordAt } from './record-at.js';

interface AssignmentDependencies {
  client: ClusterClient;
  bounds: KafkaLogLimits;
}

/** First offset of a partition in the log, the offset after its last record, and the node id of its leader. */
export interface PartitionOffsetBounds {
  beginning: number;
  end: number;
  leader: number;
}

/**
 * Returns the first and next offsets of these partitions in Kafka, by `topic/partition`. Sends two ListOffsets requests
 * to each broker that leads some of them. Omits partitions that do not exist, that have no leader, or whose leader is
 * unreachable.
 */
export async function logOffsetsOf(
  client: ClusterClient,
  places: readonly TopicPartition[],
): Promise<Map<string, PartitionOffsetBounds>> {
  const wanted = new Set(places.map(keyOf));
  // An empty list of topics would request all topics.
  if (wanted.size === 0) return new Map();
  const metadata = await client.metadata([...new Set(places.map(({ topic }) => topic))]);
  const asked = [...metadata].map(([topic, partitions]) => {
    const some = partitions.filter(({ partitionId: partition }) => wanted.has(keyOf({ topic, partition })));
    return [topic, some] as const;
  });
  const found = await topicOffsets(client, new Map(asked), (error) => {
    if (isFatal(error)) throw error;
  });
  const bounds = new Map<string, PartitionOffsetBounds>();
  for (const [topic, partitions] of metadata) {
    const leaders = new Map(partitions.map(({ partitionId, leader }) => [partitionId, leader]));
    for (const { partition, beginning, end } of found.get(topic) ?? [])
      bounds.set(keyOf({ topic, partition }), { beginning, end, leader: leaders.get(partition)! });
  }
  return bounds;
}

/**
 * Returns the assignment of a partition as the consumer's handler receives it. `committed` is -1 if the group has no
 * committed offset for the partition.
 */
export function describeAssignment(
  { client, bounds }: AssignmentDependencies,
  place: TopicPartition,
  { committed, beginning, end }: Omit<PartitionOffsetBounds, 'leader'> & { committed: number },
): NewlyAssignedPartition {
  const at = async (timestamp: number): Promise<number> =>
    client.offsetAt({ ...place, leader: await leaderOf(client, place) }, timestamp);
  // If the log does not have the committed offset, reading continues at the beginning of the log.
  const position = committed >= beginning && committed <= end ? committed : beginning;
  return {
    ...place,
    position,
    beginning,
    offsetAt: (timestamp) =>
      client.retrying('looking up an offset by time', async () => {
        // Negative timestamps are special values of Kafka, such as `latest`.
        const offset = await at(Math.max(timestamp, 0));
        return offset >= 0 ? offset : at(latest);
      }),
    timestampAtPosition: async () => {
      // Most partitions have no record at their position when they are opened, and a fetch would wait behind other
      // fetches.
      if (position >= end) return undefined;
      return client.retrying('looking up a record', async () => {
        const from = { ...place, leader: await leaderOf(client, place), offset: position };
        return (await recordAt({ client, bounds }, from))?.timestamp;
      });
    },
  };
}

/**
 * Returns the node id of the partition's leader.
 * @throws LogUnavailableError if the partition has no leader or does not exist
 */
export async function leaderOf(client: ClusterClient, { topic, partition }: TopicPartition): Promise<number> {
  const known = await client.partitionsOf(topic);
  const leader = known?.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
  if (leader < 0) throw new LogUnavailableError('the partition has no leader');
  return leader;
}
