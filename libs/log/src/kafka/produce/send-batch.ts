import { LogUnavailableError } from '../../errors.js';
import type { NewRecord } from '../../log.js';
import type { Append } from './append.js';
import { GroupedRecords, PartitionRecords, type PartitionAnswer, type Sending } from './partition-records.js';

export interface SendBounds {
  sendRecords: number;
  sendBytes: number;
  partitionBatchBytes: number;
}

/** What a broker said about one partition's batch. */
export interface WrittenBatch extends PartitionAnswer {
  topicName: string;
}

class PartitionShare {
  readonly records: NewRecord[] = [];
  readonly owners: Append[] = [];
  readonly indexes: number[] = [];
  bytes = 0;
}

interface TopicShare {
  partitionCount: number;
  byPartition: Map<number, PartitionShare>;
}

/** What goes to Kafka in one request: the records of several appends, by topic and partition. */
export class SendBatch implements Sending {
  /** Set when nobody waits for it any more; kafkajs then gives up trying. */
  cancelled = false;
  /** Set where a partition was not sent again, see `PartitionRecords.isRenumbered`: the producer is of no use after that. */
  skipped = false;
  deadline = Infinity;
  private readonly topics = new Map<string, TopicShare>();
  private records = 0;
  private bytes = 0;
  private lastTopic = '';
  private lastShare: TopicShare | undefined;

  constructor(private readonly bounds: SendBounds) {}

  get empty(): boolean {
    return this.records === 0;
  }

  /** Takes the append's record at this index; false when the batch is full, at least for its partition. */
  add(append: Append, index: number, partitionCount: number): boolean {
    const record = append.records[index] as NewRecord;
    const partition = append.partitions[index] as number;
    const size = append.sizes[index] as number;
    if (this.records >= this.bounds.sendRecords) return false;
    if (this.records > 0 && this.bytes + size > this.bounds.sendBytes) return false;
    const share = this.share(record.topic, partition, partitionCount);
    if (share.bytes > 0 && share.bytes + size > this.bounds.partitionBatchBytes) return false;
    share.records.push(record);
    share.owners.push(append);
    share.indexes.push(index);
    share.bytes += size;
    this.bytes += size;
    this.records++;
    if (append.deadline < this.deadline) this.deadline = append.deadline;
    return true;
  }

  private share(topic: string, partition: number, partitionCount: number): PartitionShare {
    if (topic !== this.lastTopic || !this.lastShare) {
      this.lastTopic = topic;
      this.lastShare = this.topics.get(topic);
      if (!this.lastShare) {
        this.lastShare = { partitionCount, byPartition: new Map() };
        this.topics.set(topic, this.lastShare);
      }
    }
    let share = this.lastShare.byPartition.get(partition);
    if (!share) {
      share = new PartitionShare();
      this.lastShare.byPartition.set(partition, share);
    }
    return share;
  }

  get topicNames(): string[] {
    return [...this.topics.keys()];
  }

  /** In the form that kafkajs' `sendBatch` takes, grouped already. */
  toTopicMessages(): { topic: string; messages: GroupedRecords }[] {
    return [...this.topics].map(([topic, { partitionCount, byPartition }]) => {
      const grouped = [...byPartition].map(
        ([partition, share]) => [partition, new PartitionRecords(share.records, share.bytes, this)] as const,
      );
      return { topic, messages: new GroupedRecords(Object.fromEntries(grouped), partitionCount) };
    });
  }

  /**
   * Tells each append where its records are.
   * @throws LogUnavailableError when the answer leaves one of the partitions out: kafkajs forgets a partition whose
   * leader moves, while it tries again, to a broker that has answered already.
   */
  written(answers: readonly WrittenBatch[]): void {
    const offsets = new Map(answers.map((answer) => [`${answer.topicName}/${answer.partition}`, answer]));
    for (const [topic, { byPartition }] of this.topics) {
      for (const [partition, share] of byPartition) {
        const offset = Number(offsets.get(`${topic}/${partition}`)?.baseOffset ?? -1);
        if (offset < 0) throw new LogUnavailableError('a partition was not acknowledged');
        for (let i = 0; i < share.owners.length; i++) {
          (share.owners[i] as Append).written(share.indexes[i] as number, { partition, offset: offset + i });
        }
      }
    }
  }

  /** Fails every append that has a record in it; `topics` limits that to those topics. */
  fail(error: Error, topics: readonly string[] = this.topicNames): void {
    for (const topic of topics) {
      for (const share of this.topics.get(topic)?.byPartition.values() ?? []) {
        for (const owner of share.owners) owner.fail(error);
      }
    }
  }
}
