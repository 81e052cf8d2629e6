import { ProblemError, type TopicNames } from '#contracts';
import { LogUnavailableError, type Log, type Producer, type TableReader } from '#log';
import type { Definitions, StreamDefinition } from './definitions.js';
import { DefinitionsView } from './definitions-view.js';
import { createStream, type CreatedStream, type NewStream } from './streams/create-stream.js';
import { StreamFold } from './streams/stream-fold.js';

export interface DefinitionsOptions {
  log: Log;
  names: TopicNames;
  /** Of streams that are created without saying how many. */
  defaults: { partitions: number };
}

/** Streams that one process may be creating at a time. */
const maxCreations = 1_000;

/** Opens the definitions of one installation; nothing is read before `start`. */
export function openDefinitions(options: DefinitionsOptions): Definitions {
  return new LogDefinitions(options);
}

class LogDefinitions implements Definitions {
  private readonly streamFold = new StreamFold();
  private readonly view = new DefinitionsView([this.streamFold]);
  private reader: TableReader;
  private readonly creations = new Map<string, Promise<CreatedStream>>();
  private openProducer: Promise<Producer> | undefined;

  constructor(private readonly options: DefinitionsOptions) {
    this.reader = this.newReader();
  }

  private newReader(): TableReader {
    const { log, names } = this.options;
    return log.tableReader(names.definitions, { record: (record) => this.view.apply(record) });
  }

  async start(): Promise<void> {
    const { log, names } = this.options;
    await log.admin.create(names.definitions, { partitions: 1, config: { 'cleanup.policy': 'compact' } });
    if (this.reader.failure) {
      await this.reader.close();
      this.reader = this.newReader();
    }
    await this.reader.start();
  }

  stream(name: string): StreamDefinition | undefined {
    return this.streamFold.get(name);
  }

  streams(): StreamDefinition[] {
    return this.streamFold.all();
  }

  createStream(wanted: NewStream): Promise<CreatedStream> {
    const running = this.creations.get(wanted.stream);
    if (running) return running.then(({ definition }) => ({ definition, created: false }));
    if (this.creations.size >= maxCreations) {
      const detail = 'Too many streams are being created at once.';
      return Promise.reject(new ProblemError('overloaded', detail, { retryAfterSeconds: 1 }));
    }
    const creation = this.create(wanted).finally(() => this.creations.delete(wanted.stream));
    this.creations.set(wanted.stream, creation);
    return creation;
  }

  private create(wanted: NewStream): Promise<CreatedStream> {
    const { log, names, defaults } = this.options;
    return createStream(
      {
        log,
        names,
        defaults,
        streams: this.streamFold,
        producer: () => this.producer(),
        caughtUp: (offset, timeoutMs) => this.reader.caughtUp(offset, timeoutMs),
        appears: (stream, timeoutMs) => this.appears(stream, timeoutMs),
      },
      wanted,
    );
  }

  private producer(): Promise<Producer> {
    this.openProducer ??= this.options.log.producer().catch((error: unknown) => {
      this.openProducer = undefined;
      throw error instanceof Error ? error : new LogUnavailableError('no producer', { cause: error });
    });
    return this.openProducer;
  }

  private appears(stream: string, timeoutMs: number): Promise<boolean> {
    if (this.stream(stream)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const finish = (found: boolean): void => {
        clearTimeout(timer);
        remove();
        resolve(found);
      };
      const timer = setTimeout(() => finish(false), timeoutMs);
      const remove = this.onChange(() => this.stream(stream) && finish(true));
    });
  }

  onChange(listener: () => void): () => void {
    return this.view.onChange(listener);
  }

  get unreadable(): number {
    return this.view.unreadable;
  }

  get failure(): Error | undefined {
    return this.reader.failure;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.creations.values()]);
    await this.reader.close();
    await (await this.openProducer)?.close();
  }
}
