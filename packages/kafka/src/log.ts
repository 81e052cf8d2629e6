import type { TopicPartition } from './topic-partition.js';
import type { EpochPosition } from './epoch-position.js';
/** Port to the event log. Production uses Kafka, specs an in-memory fake that passes the same contract suite. */

/** A record to append. Records with the same key go to the same partition and keep their order. */
export interface ProducerRecord {
  topic: string;
  /** Selects the partition: murmur2 hash of the key's UTF-8 bytes, as in Kafka's default partitioner. */
  key: string;
  /** Overrides the partition that the key selects; the topic must have it. For records to every partition. */
  partition?: number | undefined;
  /** null is a tombstone: compaction removes the key's earlier records from a compacted topic. */
  value: string | null;
  headers?: Record<string, string>;
}

/** Partition and offset at which a record was written. */
export interface RecordPosition {
  partition: number;
  offset: number;
}

/** A record that was read from the log. */
export interface ConsumerRecord extends RecordPosition {
  topic: string;
  key: Buffer | null;
  /** null for a tombstone. */
  value: Buffer | null;
  /** Milliseconds since 1970: the producer's time, or the broker's (`message.timestamp.type=LogAppendTime`). */
  timestamp: number;
  headers: Record<string, Buffer | undefined>;
}

/** How the records of one call of `append` are written. */
export interface AppendOptions {
  /**
   * Writes the records, which must be of one partition, as one record batch: their offsets are contiguous, and the log has all
   * of them or none.
   */
  atomic?: boolean;
}

/** Appends records to topics of the log. */
export interface Producer {
  /**
   * Appends all records. Resolves with their positions, in the given order, once every in-sync replica has them.
   * Successive calls keep their order within a partition. After a rejection some of the records may still be written:
   * retry with the same event ids, so that readers recognise duplicates.
   * @throws ProducerBufferFullError at once, if the bytes in flight would exceed their limit; nothing is written.
   * @throws UnknownTopicError if a topic does not exist. Nothing is written, unless the topic was removed after this
   * producer had used it.
   * @throws RecordTooLargeError if a record is larger than its topic accepts, or atomic records are more than one batch holds.
   * @throws LogUnavailableError if the log does not acknowledge the records in time.
   */
  append(records: readonly ProducerRecord[], options?: AppendOptions): Promise<RecordPosition[]>;
  /** Bytes of records that were passed to `append` and are not yet acknowledged. */
  readonly bytesInFlight: number;
  /** Rejects further appends, waits until every pending append settles, and closes the connections. */
  close(): Promise<void>;
}

/** Number of partitions and Kafka settings of a topic that is to be created. */
export interface NewTopicSettings {
  partitions: number;
  /** Kafka topic settings, such as `cleanup.policy`. */
  config?: Record<string, string>;
}

/** A change of Kafka topic settings, by name; the value null restores the default of the broker. */
export type TopicConfigChange = Readonly<Record<string, string | null>>;

/** The first offset that the log still has of a partition, and the offset of its next record. */
export interface PartitionOffsetRange {
  partition: number;
  /** First offset that the log still has. */
  beginning: number;
  /** Offset after the last readable record, and of the next record unless a transaction is open. */
  end: number;
}

/** Administration of the log: creates, changes and removes topics, looks up offsets, and removes consumer groups. */
export interface TopicAdmin {
  /**
   * Creates the topic. Resolves false if the topic already exists, even with other settings.
   * @throws TopicRejectedError if the name is invalid or collides with an existing topic (`a.b` and `a_b`), or if Kafka
   * rejects a setting
   */
  create(topic: string, settings: NewTopicSettings): Promise<boolean>;
  /**
   * Changes the given settings of a topic and keeps all others. The change takes effect moments later.
   * @throws UnknownTopicError if the topic does not exist
   * @throws TopicRejectedError if Kafka rejects a setting; no setting changes then
   */
  configure(topic: string, config: TopicConfigChange): Promise<void>;
  /** Returns the number of partitions of a topic, or undefined if the topic does not exist. */
  partitions(topic: string): Promise<number | undefined>;
  /** Returns the names of all topics that start with the prefix, sorted. */
  list(prefix: string): Promise<string[]>;
  remove(topic: string): Promise<void>;
  /**
   * Deletes the records of a partition before this offset. Nothing changes if there are none.
   * @throws UnknownTopicError if the topic does not exist
   */
  deleteRecords(partition: TopicPartition, before: number): Promise<void>;
  /**
   * Returns the first and the next offset of each partition.
   * @throws UnknownTopicError if the topic does not exist
   */
  offsets(topic: string): Promise<PartitionOffsetRange[]>;
  /** Like `offsets`, of many topics in a few requests. Omits missing topics, and partitions without a leader. */
  offsetsIn(topics: readonly string[]): Promise<Map<string, PartitionOffsetRange[]>>;
  /**
   * Returns the bytes that the records of each topic take in the log, without replicas. Omits topics that do not exist,
   * and topics whose size Kafka does not return: a partition has no leader, or the client lacks the permission.
   */
  bytesIn(topics: readonly string[]): Promise<Map<string, number>>;
  /**
   * Returns, for each partition, the first offset whose record has this timestamp (milliseconds since 1970) or a later
   * one, or the end offset if there is no such record.
   * @throws UnknownTopicError if the topic does not exist
   */
  offsetsAt(topic: string, timestamp: number): Promise<Map<number, number>>;
  /** Returns the group's committed offset (the next to read) of each partition; omits partitions without one. */
  committed(group: string, topic: string): Promise<Map<number, number>>;
  /**
   * Returns the group's committed offsets of many topics, by topic and partition, in one request to Kafka. `topics`
   * maps each topic name to the number of its partitions, which the caller must know. Omits topics without a committed
   * offset.
   */
  committedIn(
    group: string,
    topics: ReadonlyMap<string, number>,
  ): Promise<Map<string, ReadonlyMap<number, number>>>;
  /** Removes a group with its offsets. Resolves true if it does not exist afterwards, false while it has members. */
  removeGroup(group: string): Promise<boolean>;
  /** Resolves if a broker responds. @throws LogUnavailableError if none does */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Records of a partition that a group has read, and that the log has lost: its brokers lost power, or a replica without them
 * became the leader. The log has other records at these offsets, or none yet.
 */
export interface LostRecords {
  /** Offset of the first lost record, at which reading continues. */
  from: number;
  /** Offset after the last record that the group has read. */
  until: number;
}

/** A partition that the group assigns to this consumer. */
export interface NewlyAssignedPartition {
  topic: string;
  partition: number;
  /**
   * The group's committed offset (the next to read); `beginning` without one that the log has. If the log has lost records
   * below the committed offset, the offset of the first lost record.
   */
  position: number;
  /** First offset that the log still has. */
  beginning: number;
  /** Set if the log has lost records that the group has read. */
  lost?: LostRecords;
  /** Returns the first offset from this timestamp (ms since 1970) on; the end offset without one. For warm-up. */
  offsetAt(timestamp: number): Promise<number>;
  /** Returns the timestamp (milliseconds since 1970) of the first record from `position` on; undefined without one. */
  timestampAtPosition(): Promise<number | undefined>;
  /**
   * Returns the leader epoch of the record before this offset, to be kept with a checkpoint at the offset; `unknownEpoch` if
   * the consumer has not read the record.
   */
  epochBefore(offset: number): number;
  /**
   * Returns the first offset from `first` to `last` (inclusive) at which records of another leader begin, among those that were
   * read. A log that has lost its end has records of another leader from there on. The first record that was read counts too,
   * if the leader before it is not known.
   */
  epochStartIn(first: number, last: number): number | undefined;
  /**
   * Returns the offset of the first record before this position that the log has lost since it was read (KIP-320); undefined if
   * it has lost none, or if the epoch is unknown.
   */
  lostBefore(position: EpochPosition): Promise<number | undefined>;
}

/** Offset range of records that cannot be decoded: damaged, or compressed with an unsupported codec. */
export interface UndecodableRange {
  /** First and last offset of the range, both inclusive. */
  offset: number;
  lastOffset: number;
  /** Why the records cannot be decoded: a fixed text that never contains record content. */
  reason: string;
}

/** Records that a consumer has fetched from one partition with one fetch. */
export interface RecordBatch {
  topic: string;
  partition: number;
  /** Records in offset order. Empty if the range has only control, aborted or undecodable records. */
  records: ConsumerRecord[];
  /** Memory that the records take, in bytes. */
  bytes: number;
  /**
   * Offset at which reading continues after this batch: at least the last record's offset plus one. Commit this offset.
   * A group that commits the last record's offset never gets past offsets without a record.
   */
  next: number;
  /** Offset ranges, in order, whose records cannot be decoded and are missing from `records`; omitted without any. */
  undecodable?: UndecodableRange[];
  /** End of the readable records at the fetch: of the log, or before the oldest open transaction. */
  highWatermark: number;
}

/** One of several equal shares of the memory for fetched records. */
export interface MemoryShare {
  name: string;
  /** Number of shares. */
  shares: number;
}

/** Callbacks of a consumer. Calls for one partition never overlap; calls for different partitions do. */
export interface ConsumerHandler {
  /**
   * Called before the first batch of an assigned partition. Resolves with the offset to read from: at most
   * `assignment.position`. With a lower offset, the consumer reads records again that were already committed.
   */
  assigned(assignment: NewlyAssignedPartition): Promise<number>;
  /**
   * Returns whose share of the memory for fetched records a partition takes, of a fixed number of equal shares. While the batches
   * of one share wait, those of the others are fetched. Called after `assigned`. Default: all partitions have one share.
   */
  memoryShare?(partition: TopicPartition): MemoryShare;
  /**
   * Processes a batch. The consumer passes the partition's next batch once the promise resolves. Until then the
   * partition is paused; heartbeats keep the consumer in its group meanwhile.
   */
  batch(batch: RecordBatch): Promise<void>;
  /**
   * Called when the consumer loses the partition, and before the partition is assigned to it again. A partition that the
   * consumer keeps in a rebalance is not revoked. If the log no longer has the next offset (retention removed it,
   * or the topic was recreated), the partition is revoked and assigned again; `assigned` then returns where reading
   * continues.
   */
  revoked(partition: { topic: string; partition: number }): void;
}

/** Consumer group, callbacks and fetch delay of a consumer. */
export interface ConsumerOptions {
  group: string;
  /**
   * Whether the consumer reads every partition of its topics without joining the group, from the offsets that the group has
   * committed. Its own `commit` changes nothing. Default: false.
   */
  standalone?: boolean;
  /**
   * Milliseconds for which Kafka may collect records after a fetch that returned fewer than 64 KiB; the default is
   * `fetchCollectMs` of the log. A longer time costs less CPU and delays records by as much. The first record that
   * arrives after an idle period is not delayed.
   */
  collectMs?: number;
  handler: ConsumerHandler;
  /** Called once if the consumer fails permanently; the process should exit then. */
  onCrash(error: Error): void;
}

/** A member of a consumer group, whose handler gets the records of the partitions that the group assigns to it. */
export interface Consumer {
  /**
   * Replaces the set of consumed topics. A changed set makes the consumer rejoin its group; calls in quick succession
   * cause one rejoin. During the rejoin the consumer reads and commits partitions of topics that remain subscribed.
   */
  subscribe(topics: readonly string[]): Promise<void>;
  /** Revokes the consumer's partitions of the topic, or one of them, and assigns them to it again, as after a join. */
  reassign(topic: string, partition?: number): void;
  /**
   * Commits the group's offset of a partition; `offset` is the next to read. Resolves false if the consumer no longer
   * owns the partition.
   * @throws LogUnavailableError if the group's coordinator does not accept the offset after several tries
   */
  commit(topic: string, partition: number, offset: number): Promise<boolean>;
  /** Ends the pause in which Kafka collects records (`collectMs`): the next fetch follows at once. */
  fetchNow(): void;
  /**
   * Whether the consumer takes part in the current generation of its group, or subscribes to no topic. False while it
   * waits for a rebalance, which lasts until every member has rejoined, or until the session of a dead member times
   * out. Meanwhile the consumer reads the partitions that it already owns.
   */
  readonly joined: boolean;
  /** Stops fetching, waits for running `batch` calls, and leaves the group. */
  close(): Promise<void>;
}

/** Receives the records that a global table reader reads. */
export interface GlobalTableReaderHandler {
  /** Called with every record of the topic in offset order, one at a time, first the existing ones, then new ones. */
  record(record: ConsumerRecord): void;
  /** Called with each range of offsets whose records cannot be decoded, which the table lacks. */
  undecodable?(range: UndecodableRange): void;
}

/**
 * Global table reader: reads a compacted topic with a single partition from its beginning and follows it. Each process
 * reads the whole topic, without a consumer group (like a GlobalKTable).
 */
export interface GlobalTableReader {
  /** Resolves once the handler has every record that the topic had at the call. @throws `failure`, if there is one */
  start(): Promise<void>;
  /**
   * Resolves once the record at this offset has been passed to the handler.
   * @throws LogUnavailableError after `timeoutMs` milliseconds
   * @throws `failure` at once, if reading has failed
   */
  caughtUp(offset: number, timeoutMs: number): Promise<void>;
  /** Why reading has stopped for good: an error of the handler or of Kafka. Undefined while reading works. */
  readonly failure: Error | undefined;
  /**
   * Time of the log's last response, in milliseconds of `performance.now()`; undefined before the first response. Every
   * record that existed at that time has been passed to the handler or is being passed. The time does not advance while
   * the log is unreachable.
   */
  readonly answeredAt: number | undefined;
  close(): Promise<void>;
}

/** Access to the log, which `openKafkaLog` and `MemoryLog` implement. */
export interface Log {
  readonly admin: TopicAdmin;
  producer(): Promise<Producer>;
  consumer(options: ConsumerOptions): Consumer;
  tableReader(topic: string, handler: GlobalTableReaderHandler): GlobalTableReader;
  close(): Promise<void>;
}
