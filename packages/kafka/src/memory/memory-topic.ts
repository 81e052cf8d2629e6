import type { EpochStart } from '../kafka/consume/leader-epochs.js';
import type { ConsumerRecord, ProducerRecord, RecordPosition, TopicConfigChange } from '../log.js';

/** A partition with records from offset `beginning` (inclusive) to `end` (exclusive). Compaction leaves gaps. */
interface MemoryPartition {
  beginning: number;
  end: number;
  records: ConsumerRecord[];
  /** The leader epochs of the partition, each with its first offset. */
  epochs: EpochStart[];
}

/** A topic of the in-memory log: its partitions with their records, and listeners for appended records. */
export class MemoryTopic {
  readonly partitions: MemoryPartition[];
  private readonly listeners = new Set<() => void>();

  constructor(
    readonly name: string,
    count: number,
    private settings: Readonly<Record<string, string>>,
  ) {
    this.partitions = Array.from({ length: count }, () => ({
      ...{ beginning: 0, end: 0, records: [] },
      epochs: [{ leaderEpoch: 0, from: 0 }],
    }));
  }

  /** Largest record in bytes. The only one of Kafka's topic settings that has an effect in the in-memory log. */
  get maxMessageBytes(): number {
    return Number(this.settings['max.message.bytes'] ?? Infinity);
  }

  /** The Kafka settings that the topic was given. */
  get config(): Readonly<Record<string, string>> {
    return this.settings;
  }

  configure(config: TopicConfigChange): void {
    const changed = Object.entries({ ...this.settings, ...config });
    this.settings = Object.fromEntries(
      changed.filter((entry): entry is [string, string] => entry[1] !== null),
    );
  }

  append(record: ProducerRecord, partition: number, timestamp: number): RecordPosition {
    const own = this.partitions[partition];
    const offset = this.end(partition);
    const headers = Object.entries(record.headers ?? {}).map(([name, value]) => [name, Buffer.from(value)]);
    own?.records.push({
      topic: this.name,
      partition,
      offset,
      key: Buffer.from(record.key),
      value: record.value === null ? null : Buffer.from(record.value),
      timestamp,
      headers: Object.fromEntries(headers) as Record<string, Buffer>,
    });
    if (own) own.end = offset + 1;
    return { partition, offset };
  }

  beginning(partition: number): number {
    return this.partitions[partition]?.beginning ?? 0;
  }

  end(partition: number): number {
    return this.partitions[partition]?.end ?? 0;
  }

  /** Bytes of the keys and values of all records of the topic. */
  get bytes(): number {
    const records = this.partitions.flatMap(({ records }) => records);
    return records.reduce((sum, { key, value }) => sum + (key?.length ?? 0) + (value?.length ?? 0), 0);
  }

  /** Returns the first offset whose record has this timestamp or a later one, or the end offset. */
  offsetAt(partition: number, timestamp: number): number {
    const found = this.partitions[partition]?.records.find((record) => record.timestamp >= timestamp);
    return found?.offset ?? this.end(partition);
  }

  read(partition: number, from: number, limit: number): ConsumerRecord[] {
    const own = this.partitions[partition];
    if (!own) return [];
    const start = firstFrom(own.records, from);
    return own.records.slice(start, start + limit);
  }

  /** Returns the leader epochs of the records from offset `from` (inclusive) to `until` (exclusive). */
  epochsIn(partition: number, { from, until }: { from: number; until: number }): EpochStart[] {
    const epochs = this.partitions[partition]?.epochs ?? [];
    return epochs.flatMap((epoch, index) => {
      const end = epochs[index + 1]?.from ?? Infinity;
      return end > from && epoch.from < until ? [{ ...epoch, from: Math.max(epoch.from, from) }] : [];
    });
  }

  /** Returns the offset from which on the records are of later leader epochs, or the end offset. */
  endOfEpoch(partition: number, leaderEpoch: number): number {
    const later = this.partitions[partition]?.epochs.find((epoch) => epoch.leaderEpoch > leaderEpoch);
    return later?.from ?? this.end(partition);
  }

  /** Simulates brokers that lose the records from an offset on: the next leader writes others there. */
  loseEnd(partition: number, first: number): void {
    const own = this.partitions[partition];
    if (!own) return;
    const from = Math.min(first, own.end);
    const leaderEpoch = (own.epochs.at(-1)?.leaderEpoch ?? 0) + 1;
    own.records.splice(firstFrom(own.records, from));
    own.end = from;
    own.epochs = [...own.epochs.filter((epoch) => epoch.from < from), { leaderEpoch, from }];
    this.notify();
  }

  /** Simulates retention: removes all records before the offset. */
  truncate(partition: number, before: number): void {
    const own = this.partitions[partition];
    if (!own || before <= own.beginning) return;
    own.records.splice(0, firstFrom(own.records, before));
    own.beginning = before;
    own.end = Math.max(own.end, before);
  }

  /**
   * Simulates compaction: keeps the last record of each key, and no record of a key whose last record is a tombstone.
   */
  compact(): void {
    for (const own of this.partitions) {
      const last = new Map(own.records.map((record) => [String(record.key), record]));
      own.records = own.records.filter((record) => record.value && last.get(String(record.key)) === record);
    }
  }

  onAppend(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Returns the index of the first record at or after an offset. */
function firstFrom(records: readonly ConsumerRecord[], offset: number): number {
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((records[middle] as ConsumerRecord).offset < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
