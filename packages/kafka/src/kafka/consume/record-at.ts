import type { ConsumerRecord } from '../../log.js';
import type { ClusterClient } from '../cluster-client.js';
import type { KafkaLogLimits } from '../kafka-log-options.js';
import { errorOfCode } from '../kafkajs/internals.js';
import { fetchRecords } from './fetch-protocol.js';
import { decodeRecords } from './record-decoder.js';

const offsetOutOfRange = 1;

/**
 * Fetches the first record of a partition at or after an offset. Returns undefined if there is none yet, or if the
 * offset is out of the partition's range.
 */
export async function recordAt(
  { client, bounds }: { client: ClusterClient; bounds: KafkaLogLimits },
  place: { topic: string; partition: number; leader: number; offset: number },
): Promise<ConsumerRecord | undefined> {
  const { topic, partition, offset: from } = place;
  const broker = await client.broker(place.leader);
  const limits = { maxWaitMs: 1, maxBytes: bounds.fetchPartitionBytes, partitionBytes: 1 };
  const [answer] = await fetchRecords(broker, [{ topic, partition, offset: from }], limits);
  if (!answer || answer.errorCode === offsetOutOfRange) return undefined;
  if (answer.errorCode !== 0) throw errorOfCode(answer.errorCode);
  const { records } = await decodeRecords({
    topic,
    partition,
    bytes: answer.bytes,
    from,
    aborted: answer.aborted,
  });
  return records[0];
}
