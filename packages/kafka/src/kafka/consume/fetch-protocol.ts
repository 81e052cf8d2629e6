import type { TopicPartition } from '../../topic-partition.js';
import { byTopic } from '../encoding/by-topic.js';
import { ByteReader } from '../encoding/byte-reader.js';
import { fetchRequestV11, type KafkajsBroker } from '../kafkajs/internals.js';
import type { AbortedTransaction } from './record-decoder.js';

/** A partition and the offset from which a fetch request reads it. */
export interface FetchPosition extends TopicPartition {
  offset: number;
}

/** Limits of one fetch: longest wait at the broker, and bytes of the response in total and for each partition. */
interface FetchLimits {
  maxWaitMs: number;
  maxBytes: number;
  partitionBytes: number;
}

/** The part of a fetch response that concerns one partition: its error code and its encoded records. */
export interface FetchedPartition extends TopicPartition {
  errorCode: number;
  /** End of the records that a read-committed consumer gets; below the high watermark during a transaction. */
  lastStable: number;
  aborted: AbortedTransaction[];
  bytes: Buffer;
}

/** The part of a fetch request that concerns the incremental fetch session (KIP-227). */
export interface FetchSessionRequest {
  sessionId: number;
  /** 0 requests a new session; each later request of a session increments it. */
  sessionEpoch: number;
  /** Partitions that are new in the session, or whose offset differs from the one that the broker knows. */
  positions: FetchPosition[];
  /** Partitions that the broker removes from the session. */
  forgotten: TopicPartition[];
}

/** The part of a fetch response that concerns the incremental fetch session (KIP-227). */
export interface FetchResponseSession {
  errorCode: number;
  sessionId: number;
}

/** A decoded fetch response: the error and the session of the whole response, and the partitions in it. */
interface FetchResponse extends FetchResponseSession {
  partitions: FetchedPartition[];
}

const readCommitted = 1;

/** Fetches records in a session. The response has only partitions with records, an error or a new end offset. */
export function fetchInSession(
  broker: KafkajsBroker,
  { sessionId, sessionEpoch, positions, forgotten }: FetchSessionRequest,
  limits: FetchLimits,
): Promise<FetchResponse> {
  const request = fetchRequestV11({
    replicaId: -1,
    maxWaitTime: limits.maxWaitMs,
    minBytes: 1,
    maxBytes: limits.maxBytes,
    isolationLevel: readCommitted,
    sessionId,
    sessionEpoch,
    topics: byTopic(positions, ({ partition, offset }) => ({
      partition,
      fetchOffset: offset,
      maxBytes: limits.partitionBytes,
    })),
    forgottenTopics: byTopic(forgotten, ({ partition }) => partition),
  });
  return broker.connectionPool.send({ request, response: { decode, parse } });
}

const parse = async (answer: FetchResponse): Promise<FetchResponse> => answer;

/**
 * Decodes a fetch response:
 *
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
async function decode(payload: Buffer): Promise<FetchResponse> {
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

/** Copies a slice much smaller than its response, which a paused partition would otherwise keep in memory. */
function ownMemory(slice: Buffer): Buffer {
  const { byteLength } = slice.buffer;
  return byteLength > smallBytes && byteLength > 2 * slice.length ? Buffer.from(slice) : slice;
}
