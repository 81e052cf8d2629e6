import type { ProducerRecord } from '../../log.js';
import type { RecordCodec } from '../compression/record-codec.js';

/** Error of a cancelled send, for which no append waits any more. This error makes kafkajs end its retries. */
class SendCancelledError extends Error {
  override readonly name = 'SendCancelledError';
  /** kafkajs does not retry an error with this value. */
  readonly retriable = false;
}

/** State of one call of the kafkajs `sendBatch`, which the records of all its partitions share. */
export interface SendBatchState {
  /** True if no append waits for the send any more; kafkajs then ends its retries. */
  readonly cancelled: boolean;
  /** True if sequence numbers were counted for records that were not sent: the broker rejects the next ones. */
  skipped?: boolean;
  /** Compresses the records of each partition; undefined sends them uncompressed. */
  readonly codec?: RecordCodec | undefined;
}

/** Answer of a broker for one partition of a Produce request. */
export interface PartitionAnswer {
  partition: number;
  errorCode: number;
  baseOffset?: string;
}

/** Records of one partition in a `sendBatch` of kafkajs, which reads `length` to count its sequence numbers. */
export class PartitionRecords {
  /** The broker's last answer for these records; undefined before the first answer. */
  answer: PartitionAnswer | undefined;
  /** Timestamp of the records, in milliseconds since 1970. A repeated send has the same one, and so the same bytes. */
  readonly now = Date.now();
  private sequence: number | undefined;

  constructor(
    readonly records: readonly ProducerRecord[],
    /** Approximate size of the encoded records, in bytes, without compression. */
    readonly bytes: number,
    private readonly send: SendBatchState,
  ) {}

  get length(): number {
    return this.records.length;
  }

  get codec(): RecordCodec | undefined {
    return this.send.codec;
  }

  /** @throws SendCancelledError if the send is cancelled */
  throwIfCancelled(): void {
    if (this.send.cancelled) throw new SendCancelledError('the send is cancelled: no append waits for it');
  }

  /**
   * Whether these records were already sent with another sequence number. If so, they must not be sent again.
   *
   * kafkajs repeats a send if one broker's part of it has failed. On a repeat, kafkajs keeps the sequence numbers of
   * partitions that were not acknowledged, and advances those of partitions that were. If an acknowledged partition has
   * moved to another broker since, kafkajs sends its records again with the next sequence numbers. The broker does not
   * recognise them as duplicates, and would write them twice. Here only the sequence number reveals this, because the
   * acknowledgement is not known.
   */
  isRenumbered(firstSequence: number): boolean {
    this.sequence ??= firstSequence;
    if (this.sequence === firstSequence) return false;
    this.send.skipped = true;
    return true;
  }
}

/** Records of one topic, already grouped by partition, in place of the messages that `sendBatch` of kafkajs takes. */
export class GroupedRecords {
  constructor(
    readonly byPartition: Record<number, PartitionRecords>,
    /** Number of partitions of the topic when the records were assigned to partitions. */
    readonly partitionCount: number,
  ) {}

  /** kafkajs searches for messages without a value with this method; there are none. */
  find(): undefined {
    return undefined;
  }
}

/** A topic was recreated or extended after its records were assigned to partitions. */
export class PartitionCountChangedError extends Error {
  override readonly name = 'PartitionCountChangedError';
  readonly retriable = false;
}

interface Grouping {
  topic: string;
  partitionMetadata: unknown[];
  messages: unknown;
}

/**
 * Wraps kafkajs/src/producer/groupMessagesPerPartition.js: returns records that are already grouped, and passes others
 * to the original.
 * @throws PartitionCountChangedError if the topic has another number of partitions than when the records were grouped
 */
export function groupMessages(original: (grouping: Grouping) => unknown): (grouping: Grouping) => unknown {
  return (grouping) => {
    const { messages, partitionMetadata } = grouping;
    if (!(messages instanceof GroupedRecords)) return original(grouping);
    if (messages.partitionCount !== partitionMetadata.length) {
      throw new PartitionCountChangedError(
        `the partitions changed from ${messages.partitionCount} to ${partitionMetadata.length}`,
      );
    }
    return messages.byPartition;
  };
}
