import type { LogRecord, NewRecord, Position, TopicConfig } from '../log.js';

/** One partition: records from `beginning` on. */
interface MemoryPartition {
  beginning: number;
  records: LogRecord[];
}

export class MemoryTopic {
  readonly partitions: MemoryPartition[];
  private readonly listeners = new Set<() => void>();

  constructor(
    readonly name: string,
    count: number,
    private settings: Readonly<Record<string, string>>,
  ) {
    this.partitions = Array.from({ length: count }, () => ({ beginning: 0, records: [] }));
  }

  /** Kafka's settings that are not the default; none of them does anything here. */
  get config(): Readonly<Record<string, string>> {
    return this.settings;
  }

  configure(config: TopicConfig): void {
    const changed = Object.entries({ ...this.settings, ...config });
    this.settings = Object.fromEntries(
      changed.filter((entry): entry is [string, string] => entry[1] !== null),
    );
  }

  append(record: NewRecord, partition: number, timestamp: number): Position {
    const offset = this.end(partition);
    const headers = Object.entries(record.headers ?? {}).map(([name, value]) => [name, Buffer.from(value)]);
    this.partitions[partition]?.records.push({
      topic: this.name,
      partition,
      offset,
      key: Buffer.from(record.key),
      value: record.value === null ? null : Buffer.from(record.value),
      timestamp,
      headers: Object.fromEntries(headers) as Record<string, Buffer>,
    });
    return { partition, offset };
  }

  beginning(partition: number): number {
    return this.partitions[partition]?.beginning ?? 0;
  }

  end(partition: number): number {
    const own = this.partitions[partition];
    return own ? own.beginning + own.records.length : 0;
  }

  read(partition: number, from: number, limit: number): LogRecord[] {
    const own = this.partitions[partition];
    if (!own) return [];
    const start = Math.max(from - own.beginning, 0);
    return own.records.slice(start, start + limit);
  }

  /** As retention does: everything before the offset is gone. */
  truncate(partition: number, before: number): void {
    const own = this.partitions[partition];
    if (!own || before <= own.beginning) return;
    own.records.splice(0, before - own.beginning);
    own.beginning = before;
  }

  onAppend(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  notify(): void {
    for (const listener of this.listeners) listener();
  }
}
