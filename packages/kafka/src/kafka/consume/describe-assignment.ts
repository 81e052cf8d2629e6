import { LogUnavailableError } from '../../errors.js';
import type { LostRecords, NewlyAssignedPartition } from '../../log.js';
import { addTo, partitionKey, type TopicPartition } from '../../topic-partition.js';
import { topicOffsets } from '../admin/topic-offsets.js';
import { latest, type ClusterClient } from '../cluster/cluster-client.js';
import { isFatal } from '../cluster/kafka-errors.js';
import type { KafkaLogLimits } from '../cluster/kafka-log-options.js';
import { errorOfCode, type PartitionMetadata } from '../kafkajs/internals.js';
import { fetchInSession } from './fetch-protocol.js';
import { lostFrom } from './leader-epochs.js';
import { decodeRecords } from './record-decoder.js';

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

const offsetOutOfRange = 1;

/**
 * Returns the first and next offsets of these partitions in Kafka, by `partitionKey`. Sends two ListOffsets requests
 * to each broker that leads some of them. Omits partitions that do not exist, that have no leader, or whose leader is
 * unreachable.
 */
export async function logOffsetsOf(
  client: ClusterClient,
  partitions: readonly TopicPartition[],
): Promise<Map<string, PartitionOffsetBounds>> {
  const desired = new Set(partitions.map(partitionKey));
  // An empty list of topics would request all topics.
  if (desired.size === 0) return new Map();
  const metadata = await client.metadata([...new Set(partitions.map(({ topic }) => topic))]);
  const asked = new Map<string, PartitionMetadata[]>();
  const leaders = new Map<string, number>();
  for (const [topic, all] of metadata)
    for (const one of all) {
      const key = partitionKey({ topic, partition: one.partitionId });
      if (!desired.has(key)) continue;
      leaders.set(key, one.leader);
      addTo(asked, topic, one);
    }
  const found = await topicOffsets(client, asked, (error) => {
    if (isFatal(error)) throw error;
  });
  const bounds = new Map<string, PartitionOffsetBounds>();
  for (const [topic, offsets] of found)
    for (const { partition, beginning, end } of offsets) {
      const key = partitionKey({ topic, partition });
      bounds.set(key, { beginning, end, leader: leaders.get(key)! });
    }
  return bounds;
}

/** Returns the assignment for the consumer's handler. `committed` is -1 without a committed offset. */
export function describeAssignment(
  { client, bounds }: AssignmentDependencies,
  { topic, partition }: TopicPartition,
  {
    committed,
    beginning,
    end,
    lost,
    epochBefore,
    epochStartIn,
  }: Omit<PartitionOffsetBounds, 'leader'> & {
    committed: number;
    lost: LostRecords | undefined;
  } & Pick<NewlyAssignedPartition, 'epochBefore' | 'epochStartIn'>,
): NewlyAssignedPartition {
  const led = async () => ({ topic, partition, leader: await leaderOf(client, { topic, partition }) });
  // If the log does not have the committed offset, reading continues at the beginning of the log.
  const next = Math.min(committed, lost?.from ?? committed);
  const position = next >= beginning && next <= end ? next : beginning;
  return {
    topic,
    partition,
    position,
    beginning,
    ...(lost && { lost }),
    epochBefore,
    epochStartIn,
    lostBefore: (read) =>
      client.retrying('looking up the end of a leader epoch', async () => {
        const { leader } = await led();
        return await lostFrom(client, leader, { topic, partition, ...read });
      }),
    offsetAt: (timestamp) =>
      client.retrying('looking up an offset by time', async () => {
        // Negative timestamps are special values of Kafka, such as `latest`.
        const offset = await client.offsetAt(await led(), Math.max(timestamp, 0));
        return offset >= 0 ? offset : client.offsetAt(await led(), latest);
      }),
    timestampAtPosition: async () => {
      // Most partitions have no record at their position when they are opened, and a fetch would wait behind other
      // fetches.
      if (position >= end) return undefined;
      return client.retrying('looking up a record', async () =>
        timestampAt({ client, bounds }, { ...(await led()), offset: position }),
      );
    },
  };
}

/**
 * Fetches the timestamp of the first record of a partition at or after an offset, without a fetch session. Returns
 * undefined if there is no such record yet, or if the offset is out of the partition's range.
 */
async function timestampAt(
  { client, bounds }: AssignmentDependencies,
  { topic, partition, leader, offset }: TopicPartition & { leader: number; offset: number },
): Promise<number | undefined> {
  // INVALID_SESSION_ID and FINAL_EPOCH in Kafka: a fetch without a session.
  const request = {
    sessionId: 0,
    sessionEpoch: -1,
    positions: [{ topic, partition, offset }],
    forgotten: [],
  };
  const limits = { maxWaitMs: 1, maxBytes: bounds.fetchPartitionBytes, partitionBytes: 1 };
  const { errorCode, partitions } = await fetchInSession(await client.broker(leader), request, limits);
  if (errorCode !== 0) throw errorOfCode(errorCode);
  const [answer] = partitions;
  if (!answer || answer.errorCode === offsetOutOfRange) return undefined;
  if (answer.errorCode !== 0) throw errorOfCode(answer.errorCode);
  const { bytes, aborted } = answer;
  const { records } = await decodeRecords({ topic, partition, bytes, aborted, from: offset });
  return records[0]?.timestamp;
}

/** Returns the node id of the partition's leader. @throws LogUnavailableError if it has none or does not exist */
export async function leaderOf(client: ClusterClient, { topic, partition }: TopicPartition): Promise<number> {
  const known = await client.partitionsOf(topic);
  const leader = known?.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
  if (leader < 0) throw new LogUnavailableError('the partition has no leader');
  return leader;
}
