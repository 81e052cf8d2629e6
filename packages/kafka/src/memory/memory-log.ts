import { ProducerBufferFullError } from '../errors.js';
import type {
  Consumer,
  ConsumerOptions,
  Log,
  ProducerRecord,
  RecordPosition,
  Producer,
  GlobalTableReader,
  GlobalTableReaderHandler,
  TopicAdmin,
} from '../log.js';
import { MemoryAdmin } from './memory-admin.js';
import { MemoryBroker } from './memory-broker.js';
import { MemoryConsumer } from './memory-consumer.js';
import { MemoryGlobalTableReader } from './memory-global-table-reader.js';
import type { MemoryTopic } from './memory-topic.js';

/** For specs that play a consumer. */
export { LeaderEpochs } from '../kafka/consume/leader-epochs.js';

/** Limit of the bytes in flight and clock of a `MemoryLog`. */
interface MemoryLogOptions {
  bytesInFlight?: number;
  now?: () => number;
}

/**
 * In-memory fake of the log, for specs. `MemoryLog` is broker and client in one; the records are lost with the object.
 */
export class MemoryLog implements Log {
  readonly admin: TopicAdmin;
  /** The in-memory broker, for inspection. */
  readonly broker: MemoryBroker;
  private readonly parts = new Set<{ close(): Promise<void> }>();
  private readonly maxBytesInFlight: number;

  constructor(options: MemoryLogOptions = {}) {
    this.maxBytesInFlight = options.bytesInFlight ?? 64 * 1024 * 1024;
    this.broker = new MemoryBroker(options.now ?? Date.now);
    this.admin = new MemoryAdmin(this.broker);
  }

  /** If true, every call fails as if Kafka were unreachable. */
  get down(): boolean {
    return this.broker.down;
  }

  set down(down: boolean) {
    this.broker.down = down;
  }

  /** The topics, for inspection; their `truncate` simulates retention, and their `compact` simulates compaction. */
  get topics(): ReadonlyMap<string, MemoryTopic> {
    return this.broker.topics;
  }

  async producer(): Promise<Producer> {
    return this.keep(new MemoryProducer(this.broker, this.maxBytesInFlight));
  }

  consumer(options: ConsumerOptions): Consumer {
    return this.keep(new MemoryConsumer(this.broker, options));
  }

  tableReader(topic: string, handler: GlobalTableReaderHandler): GlobalTableReader {
    return this.keep(new MemoryGlobalTableReader(this.broker, topic, handler));
  }

  async close(): Promise<void> {
    await Promise.all([...this.parts].map((part) => part.close()));
  }

  private keep<T extends { close(): Promise<void> }>(part: T): T {
    this.parts.add(part);
    return part;
  }
}

class MemoryProducer implements Producer {
  bytesInFlight = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly broker: MemoryBroker,
    private readonly maxBytesInFlight: number,
  ) {}

  async append(records: readonly ProducerRecord[]): Promise<RecordPosition[]> {
    const bytes = records.reduce(
      (sum, { key, value }) => sum + Buffer.byteLength(key) + Buffer.byteLength(value ?? ''),
      0,
    );
    if (this.bytesInFlight > 0 && this.bytesInFlight + bytes > this.maxBytesInFlight) {
      throw new ProducerBufferFullError('more bytes are in flight than allowed');
    }
    this.bytesInFlight += bytes;
    const written = this.last.then(() => this.broker.write(records));
    this.last = written.catch(() => undefined);
    try {
      return await written;
    } finally {
      this.bytesInFlight -= bytes;
    }
  }

  async close(): Promise<void> {
    await this.last;
  }
}
