import { ProducerBufferFullError, LogUnavailableError, RecordTooLargeError } from '../../errors.js';
import type { AppendOptions, ProducerRecord, RecordPosition, Producer } from '../../log.js';
import type { KafkaLogLimits } from '../cluster/kafka-log-options.js';
import { PendingAppend } from './pending-append.js';
import { partitionOf } from './murmur2.js';
import type { ProducerShard } from './producer-shard.js';
import type { TopicMetadataCache } from './topic-metadata-cache.js';

interface KafkaProducerOptions extends Pick<
  KafkaLogLimits,
  'bytesInFlight' | 'operationTimeoutMs' | 'sendRecords' | 'partitionBatchBytes'
> {
  shards: ProducerShard[];
  metadata: TopicMetadataCache;
}

/** Selects the partition of each record, limits the bytes in flight, and shares the records among the shards. */
export class KafkaProducer implements Producer {
  bytesInFlight = 0;
  private readonly open = new Set<Promise<unknown>>();
  /**
   * The last append, by topic, that waits for the metadata of the topic. Later appends to the topic queue behind it, so
   * that no append overtakes another one; appends to other topics do not wait.
   */
  private readonly gates = new Map<string, Promise<unknown>>();
  private closed = false;

  constructor(private readonly options: KafkaProducerOptions) {}

  async append(
    records: readonly ProducerRecord[],
    { atomic = false }: AppendOptions = {},
  ): Promise<RecordPosition[]> {
    if (this.closed) throw new LogUnavailableError('the producer is closed');
    if (records.length === 0) return [];
    const append = new PendingAppend(
      records,
      Date.now() + this.options.operationTimeoutMs,
      atomic && records.length > 1,
    );
    if (append.isAtomic) this.requireOneBatch(append);
    if (this.bytesInFlight > 0 && this.bytesInFlight + append.bytes > this.options.bytesInFlight) {
      throw new ProducerBufferFullError('more bytes are in flight than allowed');
    }
    this.bytesInFlight += append.bytes;
    const result = this.dispatch(append);
    this.open.add(result);
    try {
      return await result;
    } finally {
      this.open.delete(result);
      this.bytesInFlight -= append.bytes;
    }
  }

  /** @throws RecordTooLargeError if one record batch cannot have all records of the append */
  private requireOneBatch({ records, bytes }: PendingAppend): void {
    const { sendRecords, partitionBatchBytes } = this.options;
    if (records.length <= sendRecords && bytes <= partitionBatchBytes) return;
    throw new RecordTooLargeError(
      `${records.length} records of ${bytes} bytes do not fit into one record batch, which has at most ${sendRecords} records and ${partitionBatchBytes} bytes`,
    );
  }

  private async dispatch(append: PendingAppend): Promise<RecordPosition[]> {
    if (!this.mustQueue(append) && this.assignPartitions(append)) {
      this.share(append);
      return append.result;
    }
    const topics = [...new Set(append.records.map(({ topic }) => topic))];
    const before = topics.map(async (topic) => this.gates.get(topic));
    const turn = Promise.all(before).then(() => this.dispatchLater(append, topics));
    const over = turn.catch(() => undefined);
    for (const topic of topics) this.gates.set(topic, over);
    try {
      await turn;
    } finally {
      for (const topic of topics) if (this.gates.get(topic) === over) this.gates.delete(topic);
    }
    return append.result;
  }

  private mustQueue({ records }: PendingAppend): boolean {
    return this.gates.size > 0 && records.some(({ topic }) => this.gates.has(topic));
  }

  private async dispatchLater(append: PendingAppend, topics: readonly string[]): Promise<void> {
    await Promise.all(topics.map((topic) => this.options.metadata.load(topic)));
    if (append.deadline <= Date.now() || !this.assignPartitions(append)) {
      throw new LogUnavailableError('the metadata of the topics did not arrive in time');
    }
    this.share(append);
  }

  /** Selects the partition of each record. Returns false if the number of partitions of a topic is not cached yet. */
  private assignPartitions({ records, partitions }: PendingAppend): boolean {
    let topic = '';
    let count: number | undefined;
    for (let i = 0; i < records.length; i++) {
      const record = records[i] as ProducerRecord;
      if (record.topic !== topic) {
        topic = record.topic;
        count = this.options.metadata.get(topic);
      }
      if (count === undefined) return false;
      partitions[i] = record.partition ?? partitionOf(record.key, count);
    }
    return true;
  }

  private share(append: PendingAppend): void {
    const { shards } = this.options;
    if (append.isAtomic && append.partitions.some((partition) => partition !== append.partitions[0]))
      return append.fail(new RangeError('atomic records must be of one partition'));
    if (shards.length === 1) return shards[0]?.push(append);
    const indexes: number[][] = shards.map(() => []);
    append.partitions.forEach((partition, index) => indexes[partition % shards.length]?.push(index));
    indexes.forEach((own, shard) => own.length > 0 && shards[shard]?.push(append, own));
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled([...this.open]);
    await Promise.all(this.options.shards.map((shard) => shard.close()));
    await this.options.metadata.close();
  }
}
