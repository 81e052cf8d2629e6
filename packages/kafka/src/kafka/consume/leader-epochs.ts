import { unknownEpoch, type EpochPosition } from '../../epoch-position.js';
import type { LostRecords } from '../../log.js';
import { partitionKey, type TopicPartition } from '../../topic-partition.js';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { byTopic } from '../encoding/by-topic.js';
import { ByteReader } from '../encoding/byte-reader.js';
import { GrowingBuffer } from '../encoding/growing-buffer.js';
import { errorOfCode } from '../kafkajs/internals.js';

/** The first offset of a partition that has records of this leader epoch. */
export interface EpochStart {
  leaderEpoch: number;
  from: number;
}

type EpochEnd = TopicPartition & { errorCode: number; endOffset: number };

/** Starts of leader epochs that are kept of a partition, for commits: epochs change with the leader of the partition only. */
const mostEpochs = 16;

/** The leader epochs of the latest records of a partition, by which a commit names the epoch of its offset. */
export class LeaderEpochs {
  private starts: EpochStart[] = [];
  /** The offsets that were fetched, and whose leader epochs are known so; undefined before the first fetch. */
  private fetched: { from: number; until: number } | undefined;
  private read: EpochPosition;

  /** @param earlier The position up to which the partition has been read before. */
  constructor(private readonly earlier: EpochPosition) {
    const { offset, leaderEpoch } = earlier;
    this.read = earlier;
    if (leaderEpoch !== unknownEpoch) this.starts.push({ leaderEpoch, from: offset - 1 });
  }

  /**
   * The greatest position that was read, among those whose epoch is known. A log that has another record before this offset than the one that was read, or
   * none, has lost its end.
   */
  get last(): EpochPosition {
    return this.read;
  }

  /**
   * Takes the epochs of fetched records. `next` is the offset after the last record whose epoch is known. Damaged records before
   * the first of them count as records of its epoch: a log that has a record of this epoch has all records before it too.
   */
  add(starts: readonly EpochStart[], next: number): void {
    for (const [index, { leaderEpoch, from: first }] of starts.entries()) {
      const from = index === 0 ? Math.min(first, this.fetched?.until ?? first) : first;
      const known = this.starts.find((start) => start.leaderEpoch === leaderEpoch);
      if (known) known.from = Math.min(known.from, from);
      else this.starts.push({ leaderEpoch, from });
    }
    this.starts = this.starts.sort((a, b) => a.leaderEpoch - b.leaderEpoch).slice(-mostEpochs);
    const [first, last] = [starts[0], starts.at(-1)];
    if (!first || !last) return;
    const { from, until } = this.fetched ?? { from: first.from, until: next };
    this.fetched = { from, until: Math.max(until, next) };
    const isFurther = next > this.read.offset || this.read.leaderEpoch === unknownEpoch;
    if (isFurther) this.read = { offset: next, leaderEpoch: last.leaderEpoch };
  }

  /** Whether fetched records are of a later leader than all that were read, so that the log may have lost its end before. */
  isPassedBy(starts: readonly EpochStart[]): boolean {
    const { leaderEpoch } = this.read;
    return leaderEpoch !== unknownEpoch && starts.some((start) => start.leaderEpoch > leaderEpoch);
  }

  /** Returns the leader epoch of the record before this offset; `unknownEpoch` if that record was not read. */
  before(offset: number): number {
    const { earlier, fetched } = this;
    if (!fetched || offset <= fetched.from || offset > fetched.until)
      return offset === earlier.offset ? earlier.leaderEpoch : unknownEpoch;
    // For each record and reader: `findLast` takes twice the time.
    for (let i = this.starts.length - 1; i >= 0; i--)
      if (this.starts[i]!.from < offset) return this.starts[i]!.leaderEpoch;
    return unknownEpoch;
  }

  /** See `NewlyAssignedPartition.epochStartIn`. */
  startIn(first: number, last: number): number | undefined {
    const starts = this.starts.filter(({ from }) => first <= from && from <= last);
    return starts[0]?.from;
  }
}

/**
 * Asks the leader of some partitions where their log ends in the epochs of these positions. Returns an error code for each
 * position, and `from` if the log does not have the records before the position any more: it has others from there on, or none.
 * Leaves out positions of an unknown epoch, which cannot be checked.
 * Source: KIP-320, "Allow fetchers to detect and handle log truncation"
 */
async function checkEnds<T extends TopicPartition & EpochPosition>(
  client: Pick<ClusterClient, 'broker'>,
  leader: number,
  positions: readonly T[],
): Promise<{ position: T; errorCode: number; from?: number }[]> {
  const known = positions.filter(({ leaderEpoch }) => leaderEpoch !== unknownEpoch);
  if (known.length === 0) return [];
  const broker = await client.broker(leader);
  const api = { apiKey: 23, apiVersion: 3, apiName: 'OffsetForLeaderEpoch' };
  const request = { ...api, encode: async () => encode(known) };
  const answer = await broker.connectionPool.send({ request, response: { decode, parse } });
  const ends = new Map(answer.map((end) => [partitionKey(end), end]));
  return known.flatMap((position) => {
    const end = ends.get(partitionKey(position));
    if (!end) return [];
    // A leader that knows no epoch up to this one has lost all of them.
    const from = Math.max(end.endOffset, 0);
    return { position, errorCode: end.errorCode, ...(from < position.offset && { from }) };
  });
}

/**
 * Returns the offset of the first record before this position that the log has lost; undefined if it has lost none.
 * @throws a Kafka error, if the partition has another leader meanwhile
 */
export async function lostFrom(
  client: Pick<ClusterClient, 'broker'>,
  leader: number,
  position: TopicPartition & EpochPosition,
): Promise<number | undefined> {
  const [checked] = await checkEnds(client, leader, [position]);
  if (checked && checked.errorCode !== 0) throw errorOfCode(checked.errorCode);
  return checked?.from;
}

/**
 * Returns, by `partitionKey`, the records before these positions that the log has lost; undefined for a partition that has lost
 * none. A partition may have several positions. Omits partitions without a leader, and those for which `failed` gets an error.
 */
export async function lostRecordsOf(
  client: Pick<ClusterClient, 'broker'>,
  positions: readonly (TopicPartition & EpochPosition)[],
  {
    leaderOf,
    failed,
  }: { leaderOf: (one: TopicPartition) => number | undefined; failed: (error: unknown) => void },
): Promise<Map<string, LostRecords | undefined>> {
  const found = new Map<string, LostRecords | undefined>();
  const failures = new Set<string>();
  const fail = (error: unknown, keys: Iterable<string>): void => {
    for (const key of keys) failures.add(key);
    failed(error);
  };
  let left = positions.filter((position) => leaderOf(position) !== undefined);
  while (left.length > 0) {
    const leader = leaderOf(left[0]!)!;
    const asked = new Map<string, TopicPartition & EpochPosition>();
    // A request names a partition once.
    for (const position of left)
      if (leaderOf(position) === leader && !asked.has(partitionKey(position)))
        asked.set(partitionKey(position), position);
    left = left.filter((position) => asked.get(partitionKey(position)) !== position);
    for (const key of asked.keys()) found.set(key, found.get(key));
    const ends = await checkEnds(client, leader, [...asked.values()]).catch((error: unknown) => {
      fail(error, asked.keys());
      return [];
    });
    for (const { position, errorCode, from } of ends) {
      const key = partitionKey(position);
      if (errorCode !== 0) fail(errorOfCode(errorCode), [key]);
      if (from === undefined) continue;
      const { from: first = from, until = 0 } = found.get(key) ?? {};
      found.set(key, { from: Math.min(from, first), until: Math.max(position.offset, until) });
    }
  }
  for (const key of failures) found.delete(key);
  return found;
}

/** Returns the position that is further along in the log. */
export function furthest(one: EpochPosition, other: EpochPosition | undefined): EpochPosition {
  return other && other.leaderEpoch >= one.leaderEpoch && other.offset > one.offset ? other : one;
}

const parse = async (ends: EpochEnd[]): Promise<EpochEnd[]> => ends;

/**
 * Encodes the request:
 *
 *     OffsetForLeaderEpoch Request (Version: 3) => replica_id [topics]
 *       replica_id => INT32
 *       topics => topic [partitions]
 *         topic => STRING
 *         partitions => partition current_leader_epoch leader_epoch, INT32 each
 */
function encode(positions: readonly (TopicPartition & EpochPosition)[]): { buffer: Buffer } {
  const out = new GrowingBuffer(1024);
  const topics = byTopic(positions, (position) => position);
  out.int32(-1);
  out.int32(topics.length);
  for (const { topic, partitions } of topics) {
    out.string(topic);
    out.int32(partitions.length);
    for (const { partition, leaderEpoch } of partitions) {
      out.int32(partition);
      out.int32(unknownEpoch);
      out.int32(leaderEpoch);
    }
  }
  return { buffer: out.filled() };
}

/**
 * Decodes the response:
 *
 *     OffsetForLeaderEpoch Response (Version: 3) => throttle_time_ms [topics]
 *       throttle_time_ms => INT32
 *       topics => topic [partitions]
 *         topic => STRING
 *         partitions => error_code partition leader_epoch end_offset
 *           error_code => INT16, partition => INT32, leader_epoch => INT32, end_offset => INT64
 */
async function decode(payload: Buffer): Promise<EpochEnd[]> {
  const reader = new ByteReader(payload);
  const ends: EpochEnd[] = [];
  reader.skip(4);
  for (let topics = reader.int32(); topics > 0; topics--) {
    const topic = reader.string() ?? '';
    for (let count = reader.int32(); count > 0; count--) {
      const [errorCode, partition] = [reader.int16(), reader.int32()];
      reader.skip(4);
      ends.push({ topic, partition, errorCode, endOffset: reader.int64() });
    }
  }
  return ends;
}
