import type { NewlyAssignedPartition } from '#kafka';
import { OffsetCommitter } from './offset-committer.js';
import type { MeasuredPartition } from './lag.js';
import type { StalledConsumerDetector } from './progress.js';
import type { KafkaOrClickHouseRetrier } from './retry.js';

/** What an `OwnedPartition` needs of the host that consumes it. */
interface OwnedPartitionDependencies {
  /** Name under which the partition's lag is exported. */
  name: string;
  /** Aborted when the host stops: the current batch is finished, and no further batch begins. */
  closing: AbortSignal;
  retry: KafkaOrClickHouseRetrier;
  progress: Pick<StalledConsumerDetector, 'moved'>;
  /** Commits the group's offset; resolves false when the partition is no longer owned. */
  commit: (next: number) => Promise<boolean>;
  onFailure(error: unknown): void;
  /** Returns milliseconds since 1970. */
  now: () => number;
}

/** If a task is at least this number of offsets before the end of its partition, the task counts as far behind. */
const behindRecords = 10_000;

/** A partition that the consumer group has assigned to this process, until its revocation. */
export class OwnedPartition implements MeasuredPartition {
  readonly name = this.dependencies.name;
  readonly topic = this.assignment.topic;
  readonly partition = this.assignment.partition;
  end = this.assignment.position;
  handledUntil = this.dependencies.now();
  commits = this.commitsFrom(this.assignment.position);
  /** Timestamp (milliseconds since 1970) of the first uncommitted record at the call of `look`, if any. */
  oldest: number | undefined;
  /** Aborted when the host stops; see `OwnedPartitionDependencies`. */
  readonly closing = this.dependencies.closing;
  private readonly ending = new AbortController();
  /** Aborted when the partition is revoked. */
  readonly ended = this.ending.signal;

  constructor(
    readonly assignment: NewlyAssignedPartition,
    private readonly dependencies: OwnedPartitionDependencies,
  ) {}

  /** Returns whether the offset `next` is so far from the partition's end that saving the state at it is not urgent. */
  isBehind(next: number): boolean {
    return this.end - next > behindRecords;
  }

  /** Looks up the timestamp of the first uncommitted record in Kafka, and sets `oldest`. @throws the signal's reason */
  async look(): Promise<void> {
    const { retry } = this.dependencies;
    this.oldest = await retry.run('log', this.ended, () => this.assignment.timestampAtPosition());
    this.handledUntil = this.oldest ?? this.handledUntil;
  }

  /** Makes later commits start from this offset, even if the group has committed a higher one. */
  commitFrom(next: number): void {
    this.commits = this.commitsFrom(next);
  }

  /** Commits the offset `next` in the background; all records below it must be saved. */
  commit(next: number): void {
    this.commits.offer(next).then(
      () => this.dependencies.progress.moved(),
      (error: unknown) => this.ended.aborted || this.dependencies.onFailure(error),
    );
  }

  /** Resolves when no commit of this partition is in progress. */
  async settled(): Promise<void> {
    await this.commits.settled().catch(() => undefined);
  }

  /** Marks the partition as revoked. */
  revoke(): void {
    this.ending.abort();
  }

  private commitsFrom(next: number): OffsetCommitter {
    const { retry, commit } = this.dependencies;
    return new OffsetCommitter(next, (to) => retry.run('log', this.ended, () => commit(to)));
  }
}
