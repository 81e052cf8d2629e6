import { unknownEpoch, type EpochPosition } from '../../epoch-position.js';
import type { MemoryShare, RecordBatch } from '../../log.js';
import type { TopicPartition } from '../../topic-partition.js';
import { LeaderEpochs, type EpochStart } from './leader-epochs.js';

interface PartitionBufferOptions extends TopicPartition {
  /** First offset to read. */
  from: number;
  /** The position up to which the partition was read before, which the log must still have. Default: `from`. */
  read?: EpochPosition;
  /** Default: the only share. */
  share?: MemoryShare | undefined;
  deliver(batch: RecordBatch): Promise<void>;
  /** Called with the error with which `deliver` rejects. */
  onError(error: unknown): void;
  /** Called when a batch has been delivered: `deliver` has resolved for every record before offset `next`. */
  onProgress?(next: number): void;
}

/** The leader epochs of a batch, and the offset up to which they are known. */
interface BatchEpochs {
  epochs: readonly EpochStart[];
  epochsUntil: number;
}

/** Delivers the batches of one partition, one after the other, while it keeps at most one more. */
export class PartitionBuffer {
  readonly topic = this.options.topic;
  readonly partition = this.options.partition;
  readonly share = this.options.share ?? { name: '', shares: 1 };
  /** Offset at which the next fetch of this partition begins. */
  next = this.options.from;
  /** The leader epochs of the records that were fetched. */
  readonly epochs = new LeaderEpochs(
    this.options.read ?? { offset: this.options.from, leaderEpoch: unknownEpoch },
  );
  /** Node id of the broker to fetch from; undefined while the leader is not known. */
  leader: number | undefined = undefined;
  /** Called when there is room for another batch; set by the fetcher. */
  onRoom: () => void = () => undefined;
  private waiting: { batch: RecordBatch; release: () => void } | undefined;
  private delivering: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly options: PartitionBufferOptions) {}

  get wantsMore(): boolean {
    return !this.closed && this.waiting === undefined;
  }

  /** Adds a fetched batch. Calls `release` once the batch is processed or discarded. */
  offer(
    batch: RecordBatch,
    release: () => void,
    { epochs, epochsUntil }: BatchEpochs = { epochs: [], epochsUntil: batch.next },
  ): void {
    if (this.closed) return release();
    this.next = batch.next;
    this.epochs.add(epochs, epochsUntil);
    this.waiting = { batch, release };
    this.delivering ??= this.deliver();
  }

  /** Delivers until no batch waits. Clears `delivering` in that event-loop turn: a later `offer` starts it again. */
  private async deliver(): Promise<void> {
    while (this.waiting && !this.closed) {
      const { batch, release } = this.waiting;
      this.waiting = undefined;
      this.onRoom();
      try {
        await this.options.deliver(batch);
        this.options.onProgress?.(batch.next);
      } catch (error) {
        this.closed = true;
        this.options.onError(error);
      } finally {
        release();
      }
    }
    this.delivering = undefined;
  }

  /** Delivers no further batch; resolves when the batch that is being processed is done. */
  async close(): Promise<void> {
    this.closed = true;
    this.waiting?.release();
    this.waiting = undefined;
    await this.delivering;
  }
}
