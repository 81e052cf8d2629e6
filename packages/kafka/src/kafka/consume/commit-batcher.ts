import { setImmediate as turn } from 'node:timers/promises';
import type { CommittedOffset, GroupGeneration } from './group-generation.js';

interface Waiting {
  generation: GroupGeneration;
  offset: CommittedOffset;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Sends the offset commits of one group member to Kafka. Commits of the same event-loop turn, and commits that arrive
 * while a commit request is pending, share one request. Each partition has one commit at a time, so at most as many
 * commits wait as the member has partitions.
 */
export class CommitBatcher {
  private waiting: Waiting[] = [];
  private running = false;

  constructor(
    private readonly send: (
      generation: GroupGeneration,
      offsets: readonly CommittedOffset[],
    ) => Promise<void>,
  ) {}

  /** Resolves when the coordinator has stored the offset. Errors of other partitions do not reject this commit. */
  commit(generation: GroupGeneration, offset: CommittedOffset): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ generation, offset, resolve, reject });
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) {
      await turn();
      await this.sendAll(this.takeGeneration());
    }
    this.running = false;
  }

  private takeGeneration(): Waiting[] {
    const generation = this.waiting[0]?.generation;
    const taken = this.waiting.filter((one) => one.generation === generation);
    this.waiting = this.waiting.filter((one) => one.generation !== generation);
    return taken;
  }

  private async sendAll(commits: readonly Waiting[]): Promise<void> {
    const [first] = commits;
    if (!first) return;
    try {
      await this.send(
        first.generation,
        commits.map(({ offset }) => offset),
      );
      for (const { resolve } of commits) resolve();
    } catch (error) {
      if (commits.length === 1) return first.reject(error);
      // One invalid partition must not fail the others: after a failure, each commit is sent again in a request of its own.
      await Promise.all(commits.map((one) => this.sendAll([one])));
    }
  }
}
