import { LogUnavailableError } from '../../errors.js';
import type { Assignment } from '../../log.js';
import { latest, type ClusterClient } from '../cluster-client.js';
import type { KafkaLogBounds } from '../config.js';
import { isFatal } from '../kafka-errors.js';
import { topicOffsets } from '../topic-offsets.js';
import type { TopicPartition } from './generation.js';
import { keyOf } from './owned-partition.js';
import { recordAt } from './record-at.js';

interface Parts {
  client: ClusterClient;
  bounds: KafkaLogBounds;
}

/** The first offset of a partition, and the next one after its last. */
export interface LogBounds {
  beginning: number;
  end: number;
}

/**
 * Returns what the log has of these partitions, by `keyOf`: a question to each broker for both offsets, however many
 * partitions there are. One that has no leader at the moment, or whose leader cannot be reached, or that does not exist,
 * is left out.
 */
export async function logBoundsOf(
  client: ClusterClient,
  places: readonly TopicPartition[],
): Promise<Map<string, LogBounds>> {
  const wanted = new Set(places.map(keyOf));
  // Kafka would answer with all topics that it has.
  if (wanted.size === 0) return new Map();
  const metadata = await client.metadata([...new Set(places.map(({ topic }) => topic))]);
  const asked = [...metadata].map(([topic, partitions]) => {
    const some = partitions.filter(({ partitionId: partition }) => wanted.has(keyOf({ topic, partition })));
    return [topic, some] as const;
  });
  const found = await topicOffsets(client, new Map(asked), (error) => {
    if (isFatal(error)) throw error;
  });
  return new Map(
    [...found].flatMap(([topic, offsets]) =>
      offsets.map(({ partition, beginning, end }) => [keyOf({ topic, partition }), { beginning, end }]),
    ),
  );
}

/** Returns what a handler is told about a partition. `committed` is -1 if the group has no committed offset. */
export function describeAssignment(
  { client, bounds }: Parts,
  place: TopicPartition,
  { committed, beginning, end }: LogBounds & { committed: number },
): Assignment {
  const at = async (timestamp: number): Promise<number> =>
    client.offsetAt({ ...place, leader: await leaderOf(client, place) }, timestamp);
  // Where the log does not have the committed offset (any more), reading goes on from its beginning.
  const position = committed >= beginning && committed <= end ? committed : beginning;
  return {
    ...place,
    position,
    beginning,
    offsetAt: (timestamp) =>
      client.retrying('looking up a time', async () => {
        // Below zero are Kafka's special values, such as `latest`.
        const offset = await at(Math.max(timestamp, 0));
        return offset >= 0 ? offset : at(latest);
      }),
    timestampAtPosition: async () => {
      // Most partitions are quiet when they are opened: a fetch would wait behind those that are being read.
      if (position >= end) return undefined;
      return client.retrying('looking up a record', async () => {
        const from = { ...place, leader: await leaderOf(client, place), offset: position };
        return (await recordAt({ client, bounds }, from))?.timestamp;
      });
    },
  };
}

/** @throws LogUnavailableError while the partition has no leader, or does not exist */
export async function leaderOf(client: ClusterClient, { topic, partition }: TopicPartition): Promise<number> {
  const known = (await client.metadata([topic])).get(topic);
  const leader = known?.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
  if (leader < 0) throw new LogUnavailableError('the partition has no leader');
  return leader;
}
