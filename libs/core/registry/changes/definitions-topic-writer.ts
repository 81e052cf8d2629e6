import { ProblemError } from '#api';
import { SharedCall } from '#async';
import type { TopicAndGroupNames } from '#event';
import { ProducerBufferFullError, LogUnavailableError, type Log, type Producer } from '#kafka';
import { writeRecord, type DefinitionChangeRecord } from '../resources/definition-change-record.js';

/** Writes definition records and tombstones to the definitions topic, with one producer that it opens on first use. */
export class DefinitionsTopicWriter {
  private readonly opening = new SharedCall(() => this.open());

  constructor(
    private readonly log: Log,
    private readonly names: TopicAndGroupNames,
  ) {}

  /** Returns the producer, which the first call opens. @throws LogUnavailableError */
  producer(): Promise<Producer> {
    return this.opening.result();
  }

  /**
   * Appends a definition record and resolves with its offset. @throws ProblemError payload_too_large for a value of
   * more than 1 MiB
   */
  async append(record: DefinitionChangeRecord): Promise<number> {
    const written = writeRecord(this.names.definitions, record);
    if (Buffer.byteLength(written.value) > recordBytes)
      throw new ProblemError('payload_too_large', 'The definition takes more than 1 MiB.');
    const [position] = await (await this.producer()).append([written]);
    if (!position) throw new LogUnavailableError('the record has no position');
    return position.offset;
  }

  /**
   * Writes tombstones for these record keys in the background. A failure is ignored: superseded records do no harm, and
   * the next change of the same definition writes their tombstones again.
   */
  tombstone(keys: readonly string[]): void {
    if (keys.length === 0) return;
    const topic = this.names.definitions;
    this.producer()
      .then((producer) => producer.append(keys.map((key) => ({ topic, key, value: null }))))
      .catch(() => undefined);
  }

  async close(): Promise<void> {
    await (await this.opening.started)?.close();
  }

  private async open(): Promise<Producer> {
    try {
      return await this.log.producer();
    } catch (error) {
      throw error instanceof Error ? error : new LogUnavailableError('no producer', { cause: error });
    }
  }
}

/** Largest size of the value of one definition record, in bytes. */
const recordBytes = 1024 * 1024;
const hourMs = 60 * 60 * 1000;

/**
 * Settings of the definitions topic. Kafka compacts the topic when a tenth of it is obsolete, and after a day at the
 * latest. New processes thus read little, and hashes of secrets that are no longer used are deleted. Tombstones remain
 * for a day, so that a slow reader does not miss one.
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

/**
 * Maps ProducerBufferFullError and LogUnavailableError to the problem that the caller of a change receives; `unavailable` is
 * the detail of the latter. Returns other errors unchanged.
 */
export function logErrorToProblem(error: unknown, unavailable: string): unknown {
  if (error instanceof ProducerBufferFullError) {
    const options = { cause: error, retryAfterSeconds: 1 };
    return new ProblemError('overloaded', 'Too many records are being written at once.', options);
  }
  if (!(error instanceof LogUnavailableError)) return error;
  return new ProblemError('log_unavailable', unavailable, { cause: error, retryAfterSeconds: 2 });
}
