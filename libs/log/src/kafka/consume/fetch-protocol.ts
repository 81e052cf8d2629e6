import { errorOfCode, fetchRequestV11, type Broker } from '../kafkajs/internals.js';
import { byTopic } from './by-topic.js';
import { ByteReader } from './byte-reader.js';
import type { AbortedTransaction } from './record-decoder.js';

export interface FetchPlace {
  topic: string;
  partition: number;
  offset: number;
}

export interface FetchLimits {
  maxWaitMs: number;
  maxBytes: number;
  partitionBytes: number;
}

export interface FetchedPartition {
  topic: string;
  partition: number;
  errorCode: number;
  /** The end of what a reader of committed records is given: below the high watermark while a transaction is open. */
  lastStable: number;
  aborted: AbortedTransaction[];
  bytes: Buffer;
}

/** What one fetch tells the broker about the session. */
export interface SessionRequest {
  sessionId: number;
  /** 0 asks for a new session; each later request of a session counts one up. */
  sessionEpoch: number;
  /** Partitions that are new in the session, or whose offset is another than the broker knows. */
  places: FetchPlace[];
  /** Partitions that the broker no longer answers for. */
  forgotten: { topic: string; partition: number }[];
}

/** What the broker answers about the session. */
export interface SessionAnswer {
  errorCode: number;
  sessionId: number;
}

/** A whole answer. */
export interface FetchAnswer extends SessionAnswer {
  partitions: FetchedPartition[];
}

const readCommitted = 1;
/** Kafka's names for these numbers: INVALID_SESSION_ID and FINAL_EPOCH, a fetch without a session. */
const noSession = { sessionId: 0, sessionEpoch: -1, forgotten: [] };

/** Asks one broker once for records of partitions that it leads; each partition has its own error code. */
export async function fetchRecords(
  broker: Broker,
  places: readonly FetchPlace[],
  limits: FetchLimits,
): Promise<FetchedPartition[]> {
  const { errorCode, partitions } = await fetchInSession(
    broker,
    { ...noSession, places: [...places] },
    limits,
  );
  if (errorCode !== 0) throw errorOfCode(errorCode);
  return partitions;
}

/** Fetches what a session asks for. The answer has only partitions with news: records, an error, another end. */
export function fetchInSession(
  broker: Broker,
  { sessionId, sessionEpoch, places, forgotten }: SessionRequest,
  limits: FetchLimits,
): Promise<FetchAnswer> {
  const request = fetchRequestV11({
    replicaId: -1,
    maxWaitTime: limits.maxWaitMs,
    minBytes: 1,
    maxBytes: limits.maxBytes,
    isolationLevel: readCommitted,
    sessionId,
    sessionEpoch,
    topics: byTopic(places, ({ partition, offset }) => ({
      partition,
      fetchOffset: offset,
      maxBytes: limits.partitionBytes,
    })),
    forgottenTopics: byTopic(forgotten, ({ partition }) => partition),
  });
  return broker.connectionPool.send({ request, response: { decode, parse } });
}

const parse = async (answer: FetchAnswer): Promise<FetchAnswer> => answer;

/**
 *     Fetch Response (Version: 11) => throttle_time_ms error_code session_id [responses]
 *       throttle_time_ms => INT32, error_code => INT16, session_id => INT32
 *       responses => topic [partition_responses]
 *         topic => STRING
 *         partition_responses => partition error_code high_watermark last_stable_offset log_start_offset
 *                                [aborted_transactions] preferred_read_replica record_set
 *           partition => INT32, error_code => INT16, high_watermark, last_stable_offset, log_start_offset => INT64
 *           aborted_transactions => producer_id first_offset, INT64 each
 *           preferred_read_replica => INT32, record_set => RECORDS
 */
async function decode(payload: Buffer): Promise<FetchAnswer> {
  const reader = new ByteReader(payload);
  const partitions: FetchedPartition[] = [];
  reader.skip(4);
  const errorCode = reader.int16();
  const sessionId = reader.int32();
  for (let topics = reader.int32(); topics > 0; topics--) {
    const topic = reader.string() ?? '';
    for (let count = reader.int32(); count > 0; count--) partitions.push(decodePartition(reader, topic));
  }
  return { errorCode, sessionId, partitions };
}

function decodePartition(reader: ByteReader, topic: string): FetchedPartition {
  const partition = reader.int32();
  const errorCode = reader.int16();
  reader.skip(8);
  const lastStable = reader.int64();
  reader.skip(8);
  const aborted: AbortedTransaction[] = [];
  for (let count = reader.int32(); count > 0; count--) {
    aborted.push({ producerId: reader.bigInt64(), firstOffset: reader.int64() });
  }
  reader.skip(4);
  const bytes = ownMemory(reader.bytes32() ?? Buffer.alloc(0));
  return { topic, partition, errorCode, lastStable, aborted, bytes };
}

const smallBytes = 64 * 1024;

/** A slice keeps the whole answer in memory. What a partition holds back would keep that of all the others. */
function ownMemory(slice: Buffer): Buffer {
  const { byteLength } = slice.buffer;
  return byteLength > smallBytes && byteLength > 2 * slice.length ? Buffer.from(slice) : slice;
}
