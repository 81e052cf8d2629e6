import type { NewRecord } from '../../log.js';

/** A sent batch that nobody waits for any more; kafkajs must not send it again. */
export class SendCancelledError extends Error {
  override readonly name = 'SendCancelledError';
  /** Read by kafkajs' retries. */
  readonly retriable = false;
}

/** Records of one partition in one request. kafkajs reads `length` to count its sequence numbers. */
export class PartitionRecords {
  constructor(
    readonly records: readonly NewRecord[],
    /** About as many bytes as they take when they are encoded. */
    readonly bytes: number,
    private readonly send: { readonly cancelled: boolean },
  ) {}

  get length(): number {
    return this.records.length;
  }

  /** @throws SendCancelledError */
  throwIfCancelled(): void {
    if (this.send.cancelled) throw new SendCancelledError('nobody waits for this batch any more');
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
