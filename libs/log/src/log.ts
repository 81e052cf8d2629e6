/**
 * The log: topics of records, each record at a position (topic, partition, offset). Kafka stands behind it in
 * production; a twin in memory passes the same contract suite.
 */

/** One record to append. Records with the same key go to the same partition and keep their order. */
export interface NewRecord {
  topic: string;
  /** Decides the partition: murmur2 over its UTF-8, as Kafka's own clients do. */
  key: string;
  /** Instead of the key's: for what every partition is to have. One that the topic has. */
  partition?: number | undefined;
  /** null is a tombstone: in a compacted topic it removes what the key had. */
  value: string | null;
  headers?: Record<string, string>;
}

/** Where a record was written. */
export interface Position {
  partition: number;
  offset: number;
}

/** A record as it is read. */
export interface LogRecord extends Position {
  topic: string;
  key: Buffer | null;
  /** null is a tombstone. */
  value: Buffer | null;
  /** Milliseconds since 1970, as the producer stamped it. */
  timestamp: number;
  headers: Record<string, Buffer | undefined>;
}

export interface Producer {
  /**
   * Appends all records and resolves with their positions, in the order given, once every in-sync replica has them.
   * Calls keep their order per partition. When it rejects, some of the records may have been written all the same:
   * repeat with the same event ids.
   * @throws LogOverloadedError at once, nothing written, when the bytes in flight exceed their bound.
   * @throws UnknownTopicError when a topic does not exist; nothing was written.
   * @throws LogUnavailableError when the log did not acknowledge in time.
   */
  append(records: readonly NewRecord[]): Promise<Position[]>;
  /** Bytes handed over and not yet acknowledged. */
  readonly bytesInFlight: number;
  /** Resolves when nothing is in flight any more, then closes. */
  close(): Promise<void>;
}

export interface TopicSettings {
  partitions: number;
  /** Kafka's topic settings, such as `cleanup.policy`. */
  config?: Record<string, string>;
}

/** Kafka's topic settings by name; null goes back to the broker's default. */
export type TopicConfig = Readonly<Record<string, string | null>>;

/** What a partition holds. */
export interface PartitionOffsets {
  partition: number;
  beginning: number;
  /** The offset that the next record will get. */
  end: number;
}

export interface TopicAdmin {
  /**
   * Creates the topic; resolves false when it exists already, whatever its settings.
   * @throws TopicRefusedError when its name collides with another's (`a.b`, `a_b`) or its settings are not possible
   */
  create(topic: string, settings: TopicSettings): Promise<boolean>;
  /**
   * Changes these settings of a topic and leaves all others as they are. They take effect moments later.
   * @throws UnknownTopicError
   * @throws TopicRefusedError when the settings are not possible; nothing is changed
   */
  configure(topic: string, config: TopicConfig): Promise<void>;
  /** Partitions of a topic, or undefined when it does not exist. */
  partitions(topic: string): Promise<number | undefined>;
  /** All topics that start with the prefix. */
  list(prefix: string): Promise<string[]>;
  remove(topic: string): Promise<void>;
  /** First offset and the offset that the next record will get, by partition. */
  offsets(topic: string): Promise<PartitionOffsets[]>;
  /**
   * The same for many topics in a few questions. A topic that does not exist is left out, and so is a partition that has
   * no leader at the moment.
   */
  offsetsIn(topics: readonly string[]): Promise<Map<string, PartitionOffsets[]>>;
  /**
   * Of each partition the first offset whose record was stamped at or after the time (milliseconds since 1970), or its end.
   * @throws UnknownTopicError
   */
  offsetsAt(topic: string, timestamp: number): Promise<Map<number, number>>;
  /** Next offset to read of a group by partition; partitions without one are left out. */
  committed(group: string, topic: string): Promise<Map<number, number>>;
  /** The same for many topics, each with its number of partitions, in one question; a topic without any is left out. */
  committedIn(
    group: string,
    topics: ReadonlyMap<string, number>,
  ): Promise<Map<string, ReadonlyMap<number, number>>>;
  /** Removes a group, with what it has committed; resolves false while there are members. Safe to repeat. */
  removeGroup(group: string): Promise<boolean>;
  /** Resolves when the log answers. @throws LogUnavailableError */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A partition that this consumer has been given. */
export interface Assignment {
  topic: string;
  partition: number;
  /** The group's next offset, or the beginning when it has none. */
  position: number;
  /** The first offset that the log still has. */
  beginning: number;
  /**
   * The first offset whose timestamp is at or after the given one (milliseconds), or the end.
   * For warming up from a point in time.
   */
  offsetAt(timestamp: number): Promise<number>;
  /** Timestamp of the record at `position` if there is one, in milliseconds. */
  timestampAtPosition(): Promise<number | undefined>;
}

/** Records that are in the log and cannot be read: compressed by an unknown codec, or damaged. They have no content. */
export interface UndecodableRange {
  /** The first and the last offset of the stretch, both in it. */
  offset: number;
  lastOffset: number;
  /** Why, in words of ours; never anything that the records hold. */
  reason: string;
}

export interface RecordBatch {
  topic: string;
  partition: number;
  /** In offset order. Empty when the log has nothing to show between two offsets (control records, aborted writes). */
  records: LogRecord[];
  /** Bytes of memory that the records take. */
  bytes: number;
  /**
   * The offset that reading goes on at after this batch, at least one more than the last record's. Commit it, not the
   * last record's: otherwise a group never gets past offsets that have no record.
   */
  next: number;
  /** Stretches of this batch, in offset order, whose records are missing from `records`. None when it is left out. */
  undecodable?: UndecodableRange[];
  /** As of this fetch, the end of what may be read: the first offset of an open transaction, or the log's end. */
  highWatermark: number;
}

/** What a consumer does with what it is given. One partition's calls never overlap; those of several do. */
export interface ConsumerHandler {
  /**
   * Before the first batch of an assigned partition. Resolves with the offset to read from: at most
   * `assignment.position`, less to read a stretch again that has been committed before.
   */
  assigned(assignment: Assignment): Promise<number>;
  /** Resolving asks for the next batch; not resolving holds the partition back (the group stays alive meanwhile). */
  batch(batch: RecordBatch): Promise<void>;
  /**
   * The consumer loses the partition, or is about to get it again. A partition that stays in a rebalance is not revoked. It
   * is revoked and assigned again when the log no longer has the next offset (retention, or the topic was replaced):
   * `assigned` then returns where reading continues.
   */
  revoked(partition: { topic: string; partition: number }): void;
}

export interface ConsumerOptions {
  group: string;
  /**
   * Milliseconds for which the log may collect records after a fetch that returned few; default: the log's own. Longer costs less
   * and delays records by as much. The first record after a pause is not delayed.
   */
  collectMs?: number;
  handler: ConsumerHandler;
  /** Called once when the consumer cannot go on by itself; the process should end. */
  onCrash(error: Error): void;
}

export interface Consumer {
  /**
   * Consumes these topics from now on. A changed set rejoins the group, and calls close together become one rejoin;
   * partitions of topics that stay are read on, and their batches can commit.
   */
  subscribe(topics: readonly string[]): Promise<void>;
  /** The partitions of this topic that we have are revoked and assigned anew, as if the consumer had just come. */
  reassign(topic: string): void;
  /** Moves the group's position; `offset` is the next to read. Resolves false when the partition is no longer ours. */
  commit(topic: string, partition: number, offset: number): Promise<boolean>;
  /**
   * False while it waits for its place in the group: others have to join again too, and one that died is waited for until
   * its session is over. What it has already it reads on meanwhile. True also when it is subscribed to nothing.
   */
  readonly joined: boolean;
  /** Stops fetching, waits for running `batch` calls, leaves the group. */
  close(): Promise<void>;
}

export interface TableReaderHandler {
  /** Every record of the compacted topic, in order, one at a time, from the beginning and then live. */
  record(record: LogRecord): void;
}

/** Follows a single-partition compacted topic from its beginning, in every process by itself (no shared group). */
export interface TableReader {
  /**
   * Resolves when everything that was in the topic at the call has been handed over.
   * @throws the `failure`, when there is one
   */
  start(): Promise<void>;
  /**
   * Resolves when the record at this offset has been handed over.
   * @throws when it takes longer than the time-out, and the `failure` at once
   */
  caughtUp(offset: number, timeoutMs: number): Promise<void>;
  /** Why nothing is read any more (the handler threw, Kafka refuses us). Final: only a new reader reads again. */
  readonly failure: Error | undefined;
  /**
   * When the log last said what there is, in milliseconds of `performance.now()`: what was there before has been, or is
   * being, handed over. While the log does not answer it stands still; undefined until the first answer.
   */
  readonly answeredAt: number | undefined;
  close(): Promise<void>;
}

/** The whole port: `openKafkaLog` and `MemoryLog` make it. */
export interface Log {
  readonly admin: TopicAdmin;
  producer(): Promise<Producer>;
  consumer(options: ConsumerOptions): Consumer;
  tableReader(topic: string, handler: TableReaderHandler): TableReader;
  close(): Promise<void>;
}
