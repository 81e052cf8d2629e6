import { setImmediate as turn } from 'node:timers/promises';
import type { CommittedOffset, Generation } from './generation.js';

interface Waiting {
  generation: Generation;
  offset: CommittedOffset;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Sends the commits of one member: those that come in the same turn, or while a request is under way, are one request. Each
 * partition has one commit at a time, so no more wait than the member has partitions.
 */
export class GatheredCommits {
  private waiting: Waiting[] = [];
  private running = false;

  constructor(
    private readonly send: (generation: Generation, offsets: readonly CommittedOffset[]) => Promise<void>,
  ) {}

  /** Resolves when the group has the offset. Rejects as `send` does for this partition alone. */
  commit(generation: Generation, offset: CommittedOffset): Promise<void> {
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
      // The error of one partition is not that of the others.
      await Promise.all(commits.map((one) => this.sendAll([one])));
    }
  }
}
