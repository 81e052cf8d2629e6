import { ProblemError } from '#api';
import type { TopicNames } from '#event';
import { LogOverloadedError, LogUnavailableError, type Log, type Producer } from '#log';
import { writeRecord, type DefinitionRecord } from '../kind/definition-record.js';

/** Writes the definitions topic. */
export class TopicWriter {
  private opening: Promise<Producer> | undefined;

  constructor(
    private readonly log: Log,
    private readonly names: TopicNames,
  ) {}

  /** Opened when it is first needed. @throws LogUnavailableError */
  producer(): Promise<Producer> {
    this.opening ??= this.log.producer().catch((error: unknown) => {
      this.opening = undefined;
      throw error instanceof Error ? error : new LogUnavailableError('no producer', { cause: error });
    });
    return this.opening;
  }

  /** Resolves with the record's offset. */
  async append(record: DefinitionRecord): Promise<number> {
    const written = writeRecord(this.names.definitions, record);
    if (Buffer.byteLength(written.value) > recordBytes)
      throw new ProblemError('payload_too_large', 'The definition takes more than 1 MiB.');
    const [position] = await (await this.producer()).append([written]);
    if (!position) throw new LogUnavailableError('the record has no position');
    return position.offset;
  }

  /** Lets compaction remove what these keys hold. Nobody waits: what is left does no harm, and the next change tries again. */
  tombstone(keys: readonly string[]): void {
    if (keys.length === 0) return;
    const topic = this.names.definitions;
    this.producer()
      .then((producer) => producer.append(keys.map((key) => ({ topic, key, value: null }))))
      .catch(() => undefined);
  }

  async close(): Promise<void> {
    await (await this.opening)?.close();
  }
}

/** Of the value of one record. */
const recordBytes = 1024 * 1024;
const hourMs = 60 * 60 * 1000;

/**
 * Settings of the definitions topic: it is cleaned when a tenth of it can go, and at the latest after a day, so that a
 * new process reads little, and hashes of secrets that are no longer used go. Tombstones stay for a day, so that nobody
 * who reads meanwhile misses one.
 */
export const definitionsTopic = {
  partitions: 1,
  config: {
    'cleanup.policy': 'compact',
    'max.message.bytes': String(2 * recordBytes),
    'min.cleanable.dirty.ratio': '0.1',
    'max.compaction.lag.ms': String(24 * hourMs),
    'delete.retention.ms': String(24 * hourMs),
    'segment.ms': String(hourMs),
    'segment.bytes': String(16 * recordBytes),
  },
};

/** The problem that an error of the log is to whoever asked for a change. */
export function toProblem(error: unknown, unavailable: string): unknown {
  if (error instanceof LogOverloadedError) {
    const options = { cause: error, retryAfterSeconds: 1 };
    return new ProblemError('overloaded', 'Too much is being written at once.', options);
  }
  if (!(error instanceof LogUnavailableError)) return error;
  return new ProblemError('log_unavailable', unavailable, { cause: error, retryAfterSeconds: 2 });
}
