import { LogUnavailableError } from '../../errors.js';
import type { ProducerRecord } from '../../log.js';
import type { KafkaLogLimits } from '../cluster/kafka-log-options.js';
import type { RecordCodec } from '../compression/record-codec.js';
import type { PendingAppend } from './pending-append.js';
import {
  GroupedRecords,
  PartitionRecords,
  type PartitionAnswer,
  type SendBatchState,
} from './partition-records.js';

/** Limits of a produce request, and the compression of its records. */
export interface SendBatchLimits extends Pick<
  KafkaLogLimits,
  'sendRecords' | 'sendBytes' | 'partitionBatchBytes'
> {
  /** undefined sends records uncompressed. */
  codec?: RecordCodec | undefined;
}

/** The answer of a Kafka broker for the records of one topic partition in a produce request. */
export interface TopicPartitionAnswer extends PartitionAnswer {
  topicName: string;
}

/** The part of a kafkajs producer that a shard uses. */
export interface KafkajsProducer {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  sendBatch(batch: {
    acks: number;
    timeout: number;
    topicMessages: unknown[];
  }): Promise<TopicPartitionAnswer[]>;
}

/**
 * A record that is larger than the limit of a partition's batch by more than this factor is sent alone. Records near the limit
 * share their request with those of other partitions: one request for each would cost a round trip.
 */
const largeFactor = 1.25;

class PartitionBatch {
  readonly records: ProducerRecord[] = [];
  readonly owners: PendingAppend[] = [];
  readonly indexes: number[] = [];
  bytes = 0;
}

interface TopicBatch {
  partitionCount: number;
  byPartition: Map<number, PartitionBatch>;
}

/** Content of one call of the kafkajs `sendBatch`: the records of one or more appends, by topic and partition. */
export class SendBatch implements SendBatchState {
  /** Set when no append waits for the send any more; kafkajs then stops retrying. */
  cancelled = false;
  /** Set if a retry omitted records, see `PartitionRecords.isRenumbered`; the producer is unusable then. */
  skipped = false;
  deadline = Infinity;
  private readonly topics = new Map<string, TopicBatch>();
  private records = 0;
  private bytes = 0;
  private hasLargeRecord = false;
  private lastAppend: PendingAppend | undefined;
  private hasSeveralAppends = false;
  private lastTopic = '';
  private lastBatch: TopicBatch | undefined;

  constructor(private readonly options: SendBatchLimits) {}

  get codec(): RecordCodec | undefined {
    return this.options.codec;
  }

  /** Whether the batch has one record or one atomic append, so that an error about its size is one about these records. */
  get isIndivisible(): boolean {
    return this.records === 1 || (this.lastAppend?.isAtomic === true && !this.hasSeveralAppends);
  }

  get empty(): boolean {
    return this.records === 0;
  }

  /**
   * Adds the append's record at this index. Returns false if the batch, or its part for the record's partition, is
   * full. A large record has a request of its own: a topic may not accept it, and kafkajs then fails the whole request.
   */
  add(append: PendingAppend, index: number, partitionCount: number): boolean {
    const record = append.records[index] as ProducerRecord;
    const partition = append.partitions[index] as number;
    const size = append.sizes[index] as number;
    if (this.records >= this.options.sendRecords) return false;
    if (this.records > 0 && this.bytes + size > this.options.sendBytes) return false;
    const isLarge = size > largeFactor * this.options.partitionBatchBytes;
    if (this.records > 0 && (isLarge || this.hasLargeRecord)) return false;
    this.hasLargeRecord = isLarge;
    const batch = this.batchOf(record.topic, partition, partitionCount);
    if (batch.bytes > 0 && batch.bytes + size > this.options.partitionBatchBytes) return false;
    batch.records.push(record);
    batch.owners.push(append);
    batch.indexes.push(index);
    batch.bytes += size;
    this.bytes += size;
    this.records++;
    this.hasSeveralAppends ||= this.lastAppend !== undefined && this.lastAppend !== append;
    this.lastAppend = append;
    if (append.deadline < this.deadline) this.deadline = append.deadline;
    return true;
  }

  /** Returns whether `add` can add all records of an atomic append, whose records are of one partition. */
  hasRoomFor({ records, partitions, bytes }: PendingAppend): boolean {
    if (this.empty) return true;
    const { sendRecords, sendBytes, partitionBatchBytes } = this.options;
    if (this.hasLargeRecord || this.records + records.length > sendRecords) return false;
    const { topic } = records[0] as ProducerRecord;
    const known = this.topics.get(topic)?.byPartition.get(partitions[0] as number)?.bytes ?? 0;
    return this.bytes + bytes <= sendBytes && known + bytes <= partitionBatchBytes;
  }

  private batchOf(topic: string, partition: number, partitionCount: number): PartitionBatch {
    if (topic !== this.lastTopic || !this.lastBatch) {
      this.lastTopic = topic;
      this.lastBatch = this.topics.get(topic);
      if (!this.lastBatch) {
        this.lastBatch = { partitionCount, byPartition: new Map() };
        this.topics.set(topic, this.lastBatch);
      }
    }
    let batch = this.lastBatch.byPartition.get(partition);
    if (!batch) {
      batch = new PartitionBatch();
      this.lastBatch.byPartition.set(partition, batch);
    }
    return batch;
  }

  get topicNames(): string[] {
    return [...this.topics.keys()];
  }

  /** Returns the records, already grouped, in the form that `sendBatch` of kafkajs takes. */
  toTopicMessages(): { topic: string; messages: GroupedRecords }[] {
    return [...this.topics].map(([topic, { partitionCount, byPartition }]) => {
      const grouped: Record<number, PartitionRecords> = {};
      for (const [partition, { records, bytes }] of byPartition)
        grouped[partition] = new PartitionRecords(records, bytes, this);
      return { topic, messages: new GroupedRecords(grouped, partitionCount) };
    });
  }

  /**
   * Passes the positions of the written records to each append.
   * @throws LogUnavailableError if the answers omit a partition. kafkajs loses a partition whose leader moves, during
   * the retries, to a broker that has already responded.
   */
  written(answers: readonly TopicPartitionAnswer[]): void {
    const offsets = new Map(answers.map((answer) => [`${answer.topicName}/${answer.partition}`, answer]));
    for (const [topic, { byPartition }] of this.topics) {
      for (const [partition, { owners, indexes }] of byPartition) {
        const offset = Number(offsets.get(`${topic}/${partition}`)?.baseOffset ?? -1);
        if (offset < 0) throw new LogUnavailableError('a partition was not acknowledged');
        for (let i = 0; i < owners.length; i++)
          owners[i]!.written(indexes[i]!, { partition, offset: offset + i });
      }
    }
  }

  /** Rejects every append that has a record in this batch or, with `topics`, a record of one of these topics. */
  fail(error: Error, topics: readonly string[] = this.topicNames): void {
    for (const topic of topics)
      for (const { owners } of this.topics.get(topic)?.byPartition.values() ?? [])
        for (const owner of owners) owner.fail(error);
  }
}
