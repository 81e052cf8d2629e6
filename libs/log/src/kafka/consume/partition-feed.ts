import type { RecordBatch } from '../../log.js';

export interface FeedOptions {
  topic: string;
  partition: number;
  /** The first offset to read. */
  from: number;
  deliver(batch: RecordBatch): Promise<void>;
  /** `deliver` rejected. */
  onError(error: unknown): void;
  /** Everything before this offset has been handed over. */
  onProgress?(next: number): void;
}

/**
 * Hands the batches of one partition over, one after the other. While one is being worked on, the next is fetched and
 * kept here: two at most.
 */
export class PartitionFeed {
  readonly topic: string;
  readonly partition: number;
  /** The offset to fetch next. */
  next: number;
  /** The broker to fetch from; undefined while it is not known. */
  leader: number | undefined = undefined;
  /** Set by the fetcher: called when there is room for another batch. */
  onRoom: () => void = () => undefined;
  private waiting: { batch: RecordBatch; release: () => void } | undefined;
  private delivering: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly options: FeedOptions) {
    this.topic = options.topic;
    this.partition = options.partition;
    this.next = options.from;
  }

  get wantsMore(): boolean {
    return !this.closed && this.waiting === undefined;
  }

  /** Calls `release` once the batch is no longer held: worked on, or dropped. */
  offer(batch: RecordBatch, release: () => void): void {
    if (this.closed) return release();
    this.next = batch.next;
    this.waiting = { batch, release };
    this.delivering ??= this.deliver();
  }

  /** Resets `delivering` in the very turn that finds nothing waiting: what is offered after that starts it again. */
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

  /** Nothing is handed over any more; resolves when the batch that is being worked on is done. */
  async close(): Promise<void> {
    this.closed = true;
    this.waiting?.release();
    this.waiting = undefined;
    await this.delivering;
  }
}
