import { GrowingBuffer } from '../encoding/growing-buffer.js';
import { PartitionRecords } from '../produce/partition-records.js';
import { writeRecordBatch, type EncodableRecord } from '../produce/record-batch.js';

/** A 64-bit number of kafkajs (kafkajs/src/utils/long.js), or a plain type that kafkajs accepts instead. */
type Long = { value: bigint } | number | string | bigint;

interface ProduceOptions {
  acks: number;
  timeout: number;
  transactionalId?: string | null;
  producerId?: Long;
  producerEpoch?: number;
  compression?: number;
  topicData: { topic: string; partitions: ProducePartition[] }[];
}

interface ProducePartition {
  partition: number;
  firstSequence?: number;
  messages: PartitionRecords | readonly EncodableRecord[];
}

interface ProduceRequest {
  encode(): Promise<{ buffer: Buffer }>;
}

/**
 * Replaces kafkajs/src/protocol/requests/produce/v3/request.js, which versions 4 to 7 reuse, with an encoder that
 * writes everything into one buffer:
 *
 *     Produce Request (Version: 3) => transactional_id acks timeout [topic_data]
 *       transactional_id => NULLABLE_STRING, acks => INT16, timeout => INT32
 *       topic_data => topic [data]
 *         topic => STRING
 *         data => partition record_set
 *           partition => INT32, record_set => INT32 size + record batch
 *
 * The records of `PartitionRecords` are compressed with their codec. Requests that kafkajs itself would compress and
 * transactional requests, which this adapter never sends, use the original encoder.
 */
export function produceRequest(original: (options: ProduceOptions) => ProduceRequest) {
  return (options: ProduceOptions): ProduceRequest => {
    const request = original(options);
    if (options.compression || options.transactionalId) return request;
    return Object.assign(request, { encode: async () => encode(options) });
  };
}

function encode(options: ProduceOptions): { buffer: Buffer } {
  const out = new GrowingBuffer(estimateBytes(options));
  out.string(null);
  out.int16(options.acks);
  out.int32(options.timeout);
  const topicData = options.topicData.map(({ topic, partitions }) => {
    return { topic, partitions: partitions.filter(isToBeWritten) };
  });
  out.int32(topicData.length);
  const producerId = toBigInt(options.producerId ?? -1);
  for (const { topic, partitions } of topicData) {
    out.string(topic);
    out.int32(partitions.length);
    for (const { partition, messages, firstSequence = 0 } of partitions) {
      const isOwn = messages instanceof PartitionRecords;
      out.int32(partition);
      out.int32(0);
      const start = out.offset;
      writeRecordBatch(out, isOwn ? messages.records : messages, {
        producerId,
        producerEpoch: options.producerEpoch ?? 0,
        firstSequence,
        now: isOwn ? messages.now : Date.now(),
        codec: isOwn ? messages.codec : undefined,
      });
      out.bytes.writeInt32BE(out.offset - start, start - 4);
    }
  }
  return { buffer: out.filled() };
}

/**
 * Returns false for records that were already sent with another sequence number.
 * @throws SendCancelledError if the send is cancelled
 */
function isToBeWritten({ messages, firstSequence = 0 }: ProducePartition): boolean {
  if (!(messages instanceof PartitionRecords)) return true;
  messages.throwIfCancelled();
  return !messages.isRenumbered(firstSequence);
}

function estimateBytes({ topicData }: ProduceOptions): number {
  let bytes = 1024;
  for (const { topic, partitions } of topicData) {
    bytes += topic.length + 16;
    for (const { messages } of partitions) {
      bytes += 80 + (messages instanceof PartitionRecords ? messages.bytes : messages.length * 256);
    }
  }
  return bytes;
}

function toBigInt(value: Long): bigint {
  return typeof value === 'object' ? value.value : BigInt(value);
}
