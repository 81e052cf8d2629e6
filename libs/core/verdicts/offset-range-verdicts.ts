import { isJsonObject, jsonValue } from '#json';
import type { TopicAndGroupNames } from '#event';
import type { ConsumerRecord, ProducerRecord, TopicPartition } from '#kafka';
import { noOffsets, type OffsetBitmap } from './offset-bitmap.js';

/** Number of offsets of a range, whose verdicts share a key in the compacted topic. */
export const rangeOffsets = 16_384;

/**
 * The verdict on one record. A conditional record is accepted, or refused because the entity had another version than
 * expected. A far duplicate is refused, whether the record is conditional or not.
 */
export interface Verdict {
  offset: number;
  /**
   * The version of the accepted event; null if the event was erased, because its version is then unknown. For a
   * conditional record that repeats an event, the version of that event.
   */
  version?: number | null;
  /** If the record is refused: the version that the entity had at the record's offset. */
  current_version?: number;
  /**
   * Set if an earlier record is the event: `near` if consumers recognize the duplicate by their id window, `far` if they
   * leave the record out because of this verdict. A near duplicate has a verdict only if it is conditional.
   */
  repeated?: 'near' | 'far';
  /** Set with `current_version` if the record is refused because only some records of its atomic group repeat events. */
  partial?: true;
}

/** Returns whether consumers leave out the record of this verdict. */
export function isRefusal({ current_version, repeated }: Verdict): boolean {
  return current_version !== undefined || repeated === 'far';
}

/**
 * The verdicts on the records of one offset range of a partition, as the value of a record in the compacted
 * topic `verdicts`. The value is one JSON object,
 *
 *     {"from":16384,"decided":16390,"refused":"AQ==","verdicts":[{"offset":16389,"version":3},{"offset":16384,"current_version":7}]}
 *
 * and the key is `topic/partition/range`. A later record with the same key contains everything that an earlier record
 * contains, except the list `verdicts`.
 */
export interface OffsetRangeVerdicts extends NumberedOffsetRange {
  /** The offset below which all records of the partition are decided: those that no verdict refuses are accepted. */
  decided: number;
  /** The offset from which this record decides. Verdicts on earlier records are repeated, and valid in any case. */
  from: number;
  /** The refused records so far, by their offset within the range. All other decided records are accepted. */
  refused: OffsetBitmap;
  /** The verdicts that are new in this record, for the writers that wait for them. */
  verdicts: readonly Verdict[];
}

/** An offset range of a partition, whose verdicts share a key in the compacted topic. */
export interface NumberedOffsetRange extends TopicPartition {
  /** Number of the offset range: its first offset divided by `rangeOffsets`. */
  range: number;
}

/** Returns the number of the offset range that contains this offset. */
export function rangeOf(offset: number): number {
  return Math.floor(offset / rangeOffsets);
}

export function encodeVerdicts(
  record: OffsetRangeVerdicts,
  names: Pick<TopicAndGroupNames, 'verdicts'>,
): ProducerRecord {
  const { from, decided, refused } = record;
  // Nobody waits for the verdict on an unconditional record.
  const verdicts = record.verdicts.filter(isVerdict);
  const value = JSON.stringify({ from, decided, refused: Buffer.from(refused).toString('base64'), verdicts });
  return { topic: names.verdicts, key: keyOf(record), value };
}

/** Returns the tombstone that removes the verdicts of an offset range from the compacted topic. */
export function verdictTombstone(
  range: NumberedOffsetRange,
  names: Pick<TopicAndGroupNames, 'verdicts'>,
): ProducerRecord {
  return { topic: names.verdicts, key: keyOf(range), value: null };
}

function keyOf({ topic, partition, range }: NumberedOffsetRange): string {
  return `${topic}/${partition}/${range}`;
}

const keyPattern = /^([\w.-]+)\/(\d{1,9})\/(\d{1,12})$/;

/** Decodes a record of the topic `verdicts`: null for a tombstone, undefined for another form. */
export function decodeVerdicts(
  record: Pick<ConsumerRecord, 'key' | 'value'>,
): OffsetRangeVerdicts | null | undefined {
  if (record.value === null) return null;
  const [, topic, partition, range] = keyPattern.exec(record.key?.toString() ?? '') ?? [];
  const value = jsonValue(record.value.toString());
  if (topic === undefined || !isJsonObject(value)) return undefined;
  const { decided, refused, verdicts } = value;
  const from = value.from ?? decided;
  if (!Number.isSafeInteger(from)) return undefined;
  if (!Number.isSafeInteger(decided) || typeof refused !== 'string' || !Array.isArray(verdicts))
    return undefined;
  const bytes = Buffer.from(refused, 'base64');
  return {
    topic,
    partition: Number(partition),
    range: Number(range),
    from: from as number,
    decided: decided as number,
    refused: bytes.length === 0 ? noOffsets : new Uint8Array(bytes),
    verdicts: verdicts.filter(isVerdict),
  };
}

/** Returns the offset range whose verdicts a tombstone removes; undefined for a key of another form. */
export function rangeOfTombstone({ key }: Pick<ConsumerRecord, 'key'>): NumberedOffsetRange | undefined {
  const [, topic, partition, range] = keyPattern.exec(key?.toString() ?? '') ?? [];
  return topic === undefined ? undefined : { topic, partition: Number(partition), range: Number(range) };
}

function isVerdict(value: unknown): value is Verdict {
  if (!isJsonObject(value)) return false;
  const { offset, version, current_version } = value;
  return (
    Number.isSafeInteger(offset) &&
    (version === null || Number.isSafeInteger(version) || Number.isSafeInteger(current_version))
  );
}
