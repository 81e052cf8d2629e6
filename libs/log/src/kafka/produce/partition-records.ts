import type { NewRecord } from '../../log.js';

/** A sent batch that nobody waits for any more; kafkajs must not send it again. */
export class SendCancelledError extends Error {
  override readonly name = 'SendCancelledError';
  /** Read by kafkajs' retries. */
  readonly retriable = false;
}

/** What the partitions of one send have in common. */
export interface Sending {
  /** Nobody waits for it any more. */
  readonly cancelled: boolean;
  /** The producer has counted records that it has not sent: its next ones would be out of sequence. */
  skipped?: boolean;
}

/** What a broker said of a partition's records. */
export interface PartitionAnswer {
  partition: number;
  errorCode: number;
  baseOffset?: string;
}

/** Records of one partition in one request. kafkajs reads `length` to count its sequence numbers. */
export class PartitionRecords {
  /** The broker's, once it has written them. */
  answer: PartitionAnswer | undefined;
  private sequence: number | undefined;

  constructor(
    readonly records: readonly NewRecord[],
    /** About as many bytes as they take when they are encoded. */
    readonly bytes: number,
    private readonly send: Sending,
  ) {}

  get length(): number {
    return this.records.length;
  }

  /** @throws SendCancelledError */
  throwIfCancelled(): void {
    if (this.send.cancelled) throw new SendCancelledError('nobody waits for this batch any more');
  }

  /**
   * Whether these records were sent before with another sequence number, so that they must not be sent again.
   *
   * kafkajs repeats a send of which one broker's part has failed. It keeps the numbers of the partitions that were not
   * acknowledged, and counts on after those that were. If such a partition has moved since, its records are sent again with
   * the next numbers, and the broker does not recognise them: they would be written twice. Nothing but the number is known
   * here, not whether a broker has acknowledged them.
   */
  isRenumbered(firstSequence: number): boolean {
    this.sequence ??= firstSequence;
    if (this.sequence === firstSequence) return false;
    this.send.skipped = true;
    return true;
  }
}

/** Records of one topic, grouped already. It stands in for the array of messages that kafkajs' `sendBatch` takes. */
export class GroupedRecords {
  constructor(
    readonly byPartition: Record<number, PartitionRecords>,
    /** How many partitions the topic had when the records were given theirs. */
    readonly partitionCount: number,
  ) {}

  /** kafkajs looks for messages without a value here; ours always have one. */
  find(): undefined {
    return undefined;
  }
}

/** The topic has been made anew with another number of partitions. */
export class PartitionCountChangedError extends Error {
  override readonly name = 'PartitionCountChangedError';
  readonly retriable = false;
}

interface Grouping {
  topic: string;
  partitionMetadata: unknown[];
  messages: unknown;
}

/** Replaces kafkajs/src/producer/groupMessagesPerPartition.js: takes grouped records as they are. */
export function groupMessages(original: (grouping: Grouping) => unknown): (grouping: Grouping) => unknown {
  return (grouping) => {
    const { messages, partitionMetadata } = grouping;
    if (!(messages instanceof GroupedRecords)) return original(grouping);
    if (messages.partitionCount !== partitionMetadata.length) {
      throw new PartitionCountChangedError(`${messages.partitionCount} became ${partitionMetadata.length}`);
    }
    return messages.byPartition;
  };
}
