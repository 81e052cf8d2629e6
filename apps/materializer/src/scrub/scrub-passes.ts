import { setTimeout as sleep } from 'node:timers/promises';
import { partitionKey, type TopicPartition } from '#kafka';
import { lastScrubPass } from './scrub-metrics.js';

interface KnownPass {
  /** Milliseconds since 1970. */
  startedAt: number;
  isComplete: boolean;
}

/**
 * The passes over the partitions that this process has scrubbed, in memory: after a restart, a pass continues at the
 * committed offset, and a partition that waited for its next pass begins that pass at once.
 */
export class ScrubPasses {
  private readonly passes = new Map<string, KnownPass>();
  /** Number of partitions whose pass has begun. */
  open = 0;

  /**
   * @param intervalMs Milliseconds between the starts of two passes over a partition.
   * @param now Returns milliseconds since 1970.
   */
  constructor(
    private readonly intervalMs: number,
    private readonly now: () => number,
  ) {}

  /** Begins or continues the pass of a partition; false if the next pass is not due yet. */
  begin(partition: TopicPartition): boolean {
    const key = partitionKey(partition);
    const known = this.passes.get(key);
    if (known?.isComplete && this.msLeft(known) > 0) return false;
    if (!known || known.isComplete) this.passes.set(key, { startedAt: this.now(), isComplete: false });
    this.count();
    return true;
  }

  completed(partition: TopicPartition): void {
    const known = this.passes.get(partitionKey(partition));
    if (known) known.isComplete = true;
    this.count();
    lastScrubPass.set(this.now() / 1000);
  }

  /** Resolves when the next pass over a partition is due. @throws the signal's reason */
  async untilDue(partition: TopicPartition, signal: AbortSignal): Promise<void> {
    const known = this.passes.get(partitionKey(partition));
    if (known?.isComplete) await sleep(Math.max(0, this.msLeft(known)), undefined, { signal });
  }

  /** Forgets the partitions of all other topics. */
  keepOnly(topics: ReadonlySet<string>): void {
    for (const key of this.passes.keys())
      if (!topics.has(key.slice(0, key.lastIndexOf('/')))) this.passes.delete(key);
    this.count();
  }

  private count(): void {
    this.open = [...this.passes.values()].filter(({ isComplete }) => !isComplete).length;
  }

  private msLeft({ startedAt }: KnownPass): number {
    return startedAt + this.intervalMs - this.now();
  }
}
