import { setTimeout as sleep } from 'node:timers/promises';
import { partitionKey, type TopicPartition } from '#kafka';
import type { ScrubPassProgress } from '#store';
import { lastScrubPass } from './scrub-metrics.js';

/** What a pass over a partition has found so far: see `ScrubPassProgress`. */
export type ScrubTotals = Pick<ScrubPassProgress, 'compared' | 'repaired' | 'unlogged' | 'undecided'>;

interface KnownPass {
  /** Milliseconds since 1970. */
  startedAt: number;
  /** The newest request at the start of the pass. */
  newest: string | undefined;
  /** The request that the pass answers; undefined for a pass that was due. */
  request: string | undefined;
  isComplete: boolean;
  /** Of all tasks of the pass: a task can be replaced before the end of the pass. */
  totals: ScrubTotals;
}

/**
 * The passes over the partitions that this process has scrubbed, in memory: after a restart, a pass continues at the
 * committed offset, and a partition that waited for its next pass begins that pass at once.
 */
export class ScrubPasses {
  private readonly passes = new Map<string, KnownPass>();
  /** The newest request of each topic. */
  private readonly requests = new Map<string, string>();
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

  /** Makes a new pass over each partition of the topic due. */
  request(topic: string, request: string): void {
    this.requests.set(topic, request);
  }

  /**
   * Begins or continues the pass of a partition; undefined if the next pass is not due yet. A pass that answers a new request
   * begins at the beginning of the log (`fromTheStart`).
   */
  begin(
    partition: TopicPartition,
  ): (Pick<KnownPass, 'request' | 'totals'> & { fromTheStart: boolean }) | undefined {
    const key = partitionKey(partition);
    const newest = this.requests.get(partition.topic);
    const known = this.passes.get(key);
    const fromTheStart = newest !== undefined && known?.newest !== newest;
    if (known?.isComplete && !fromTheStart && this.msLeft(known) > 0) return undefined;
    const continues = known && !known.isComplete && !fromTheStart;
    const answered = fromTheStart ? newest : undefined;
    const totals = continues ? known.totals : { compared: 0, repaired: 0, unlogged: 0, undecided: 0 };
    const request = continues ? known.request : answered;
    if (!continues)
      this.passes.set(key, { startedAt: this.now(), isComplete: false, newest, request, totals });
    this.count();
    return { request, totals, fromTheStart };
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
    for (const topic of this.requests.keys()) if (!topics.has(topic)) this.requests.delete(topic);
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
