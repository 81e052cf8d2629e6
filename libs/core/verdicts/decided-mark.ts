import { isJsonObject, jsonValue } from '#json';
import type { TopicAndGroupNames } from '#event';
import type { ConsumerRecord, ProducerRecord, TopicPartition } from '#kafka';

/**
 * The offset below which all records of a partition are decided, as the value of a record in the compacted topic
 * `verdicts`. The value is one JSON object,
 *
 *     {"decided":16390}
 *
 * and the key is `topic/partition/decided`. Records below the offset that no verdict refuses are accepted.
 *
 * Kafka can lose records that were decided, and have others at their offsets. A mark
 *
 *     {"decided":16390,"reset":true}
 *
 * discards the verdicts at offsets from `decided` on that are before it in the topic.
 */
export interface DecidedMark extends TopicPartition {
  decided: number;
  /** Whether earlier verdicts at offsets from `decided` on are discarded. */
  reset?: boolean;
}

const keyPattern = /^([\w.-]+)\/(\d{1,9})\/decided$/;

export function encodeMark(
  { decided, reset, ...topicPartition }: DecidedMark,
  names: Pick<TopicAndGroupNames, 'verdicts'>,
): ProducerRecord {
  return { ...markTombstone(topicPartition, names), value: JSON.stringify({ decided, reset }) };
}

/** Returns the tombstone that removes the mark of a partition from the compacted topic. */
export function markTombstone(
  { topic, partition }: TopicPartition,
  names: Pick<TopicAndGroupNames, 'verdicts'>,
): ProducerRecord {
  return { topic: names.verdicts, key: `${topic}/${partition}/decided`, value: null };
}

/** Decodes a record of the topic `verdicts`; undefined for another form. A tombstone has `decided` 0. */
export function decodeMark({ key, value }: Pick<ConsumerRecord, 'key' | 'value'>): DecidedMark | undefined {
  const [, topic, partition] = keyPattern.exec(key?.toString() ?? '') ?? [];
  if (topic === undefined) return undefined;
  const place = { topic, partition: Number(partition) };
  if (value === null) return { ...place, decided: 0 };
  const read = jsonValue(value.toString());
  if (!isJsonObject(read) || !Number.isSafeInteger(read.decided)) return undefined;
  return { ...place, decided: read.decided as number, reset: read.reset === true };
}
