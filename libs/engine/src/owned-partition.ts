import type { Assignment } from '#log';
import { CommitLine } from './commit-line.js';
import type { FollowedPartition } from './lag.js';
import type { Progress } from './progress.js';
import type { Retry } from './retry.js';

export interface OwnedPartitionParts {
  /** What its lag is shown under. */
  name: string;
  /** Aborted when the host stops: what is being taken is finished, nothing more is begun. */
  closing: AbortSignal;
  retry: Retry;
  progress: Pick<Progress, 'moved'>;
  /** Moves the group's position; resolves false when the partition is no longer ours. */
  commit(next: number): Promise<boolean>;
  onFailure(error: unknown): void;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** Records from the log's end from which on a partition is far behind. */
const behindRecords = 10_000;

/** A partition that this process has, from its assignment to its revocation. */
export class OwnedPartition implements FollowedPartition {
  end: number;
  handledUntil: number;
  commits: CommitLine;
  /** Timestamp of the first record that is not committed, in milliseconds; undefined where there is none. */
  oldest: number | undefined;
  private readonly ending = new AbortController();

  constructor(
    readonly assignment: Assignment,
    private readonly parts: OwnedPartitionParts,
  ) {
    this.end = assignment.position;
    this.handledUntil = parts.now();
    this.commits = this.commitsFrom(assignment.position);
  }

  get name(): string {
    return this.parts.name;
  }

  get topic(): string {
    return this.assignment.topic;
  }

  get partition(): number {
    return this.assignment.partition;
  }

  /** Aborted when the partition is no longer ours. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  /** See OwnedPartitionParts. */
  get closing(): AbortSignal {
    return this.parts.closing;
  }

  /** Whether it is far from the log's end: nobody waits for what it saves. */
  isBehind(next: number): boolean {
    return this.end - next > behindRecords;
  }

  /** Asks the log for `oldest`. @throws the signal's reason */
  async look(): Promise<void> {
    const { retry } = this.parts;
    this.oldest = await retry.run('log', this.ended, () => this.assignment.timestampAtPosition());
    this.handledUntil = this.oldest ?? this.handledUntil;
  }

  /** Commits from this offset on, although the group stands further. */
  commitFrom(next: number): void {
    this.commits = this.commitsFrom(next);
  }

  /** Everything below `next` is saved: commits it soon. */
  commit(next: number): void {
    this.commits.offer(next).then(
      () => this.parts.progress.moved(),
      (error: unknown) => this.ended.aborted || this.parts.onFailure(error),
    );
  }

  /** Resolves when nothing is being committed. */
  async settled(): Promise<void> {
    await this.commits.settled().catch(() => undefined);
  }

  /** The partition is no longer ours. */
  revoke(): void {
    this.ending.abort();
  }

  private commitsFrom(next: number): CommitLine {
    const { parts } = this;
    return new CommitLine(next, (to) => parts.retry.run('log', this.ended, () => parts.commit(to)));
  }
}
