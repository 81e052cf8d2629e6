import { LogUnavailableError } from '../../errors.js';
import type { Assignment } from '../../log.js';
import { earliest, latest, type ClusterClient } from '../cluster-client.js';
import type { KafkaLogBounds } from '../config.js';
import type { PartitionPlace } from './group-membership.js';
import { recordAt } from './record-at.js';

interface Parts {
  client: ClusterClient;
  bounds: KafkaLogBounds;
}

/** Asks the log for what a handler is told about a partition. `committed` is -1 if the group has no committed offset. */
export async function describeAssignment(
  { client, bounds }: Parts,
  place: PartitionPlace,
  committed: number,
): Promise<Assignment> {
  const at = async (timestamp: number): Promise<number> =>
    client.offsetAt({ ...place, leader: await leaderOf(client, place) }, timestamp);
  const leader = await leaderOf(client, place);
  const [beginning, end] = await Promise.all([
    client.offsetAt({ ...place, leader }, earliest),
    client.offsetAt({ ...place, leader }, latest),
  ]);
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
export async function leaderOf(client: ClusterClient, { topic, partition }: PartitionPlace): Promise<number> {
  const known = (await client.metadata([topic])).get(topic);
  const leader = known?.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
  if (leader < 0) throw new LogUnavailableError('the partition has no leader');
  return leader;
}
