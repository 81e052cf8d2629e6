import { setTimeout as sleep } from 'node:timers/promises';
import { partitionKey, type TopicPartition } from '#kafka';
import type { ScrubPassProgress } from '#store';
import { lastScrubPass } from './scrub-metrics.js';

/** What a pass over a partition has found so far: see `ScrubPassProgress`. */
export type ScrubTotals = Pick<ScrubPassProgress, 'compared' | 'repaired' | 'unlogged' | 'undecided'>;

/** The totals of a pass that has compared nothing yet. */
export const noTotals: ScrubTotals = { compared: 0, repaired: 0, unlogged: 0, undecided: 0 };

/** A pass that begins or continues. */
export interface BegunPass {
  /** The requests that the pass answers; none for a pass that was due. */
  requests: readonly string[];
  /** Whether the pass begins at the beginning of the log, not at the committed offset. */
  fromTheStart: boolean;
  /** What the pass has found so far, if it answers a request. */
  totals: ScrubTotals;
  /** Requests that have no saved progress yet; some may wait for the next pass. */
  unsaved: readonly string[];
}

interface KnownPass {
  /** Milliseconds since 1970. */
  startedAt: number;
  /** The requests that the pass answers, and those that wait for its end. */
  requests: readonly string[];
  isComplete: boolean;
}

/**
 * Milliseconds after which a request is forgotten, and after which a pass without progress is not continued by another
 * process.
 */
const requestMs = 3_600_000;
/** Requests of a topic that are remembered; the oldest is forgotten first. */
const mostRequests = 100;

/**
 * The passes over the partitions that this process has scrubbed, in memory: after a restart, a pass continues at the
 * committed offset, and a partition that waited for its next pass begins that pass at once.
 */
export class ScrubPasses {
  private readonly passes = new Map<string, KnownPass>();
  /** When the requests of each topic came, in milliseconds since 1970. */
  private readonly requests = new Map<string, Map<string, number>>();

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
    const requests = this.requests.get(topic) ?? new Map<string, number>();
    const [oldest] = requests.keys();
    if (oldest !== undefined && requests.size >= mostRequests) requests.delete(oldest);
    this.requests.set(topic, requests.set(request, this.now()));
  }

  /**
   * Begins or continues the pass of a partition; undefined if the next pass is not due yet. A pass that answers requests
   * begins at the beginning of the log; requests that come when it has compared something wait for the next pass.
   * @param saved The progress of all requests in this partition.
   */
  begin(partition: TopicPartition, saved: readonly ScrubPassProgress[]): BegunPass | undefined {
    const key = partitionKey(partition);
    const known = this.passes.get(key);
    const isRecent = ({ updated_at }: ScrubPassProgress) => this.now() - updated_at / 1000 < requestMs;
    const open = saved.filter(
      (one) => !one.is_complete && (isRecent(one) || known?.requests.includes(one.request)),
    );
    const unsaved = this.unsaved(partition.topic, saved);
    const requests = [...open.map(({ request }) => request), ...unsaved];
    if (requests.length === 0 && known?.isComplete && this.msLeft(known) > 0) return undefined;
    const startedAt = known && !known.isComplete ? known.startedAt : this.now();
    this.passes.set(key, { startedAt, isComplete: false, requests });
    const moving = open.filter((one) => one.compared > 0 && isRecent(one));
    const [first] = moving;
    if (!first) return { requests, unsaved, totals: noTotals, fromTheStart: requests.length > 0 };
    const { compared, repaired, unlogged, undecided } = first;
    const totals = { compared, repaired, unlogged, undecided };
    return { requests: moving.map(({ request }) => request), unsaved, totals, fromTheStart: false };
  }

  /** Returns the requests of the topic that have no saved progress, and forgets old ones. */
  private unsaved(topic: string, saved: readonly ScrubPassProgress[]): string[] {
    const requests = this.requests.get(topic) ?? new Map<string, number>();
    for (const [request, at] of requests) if (this.now() - at >= requestMs) requests.delete(request);
    return [...requests.keys()].filter((request) => !saved.some((one) => one.request === request));
  }

  completed(partition: TopicPartition): void {
    const known = this.passes.get(partitionKey(partition));
    if (known) known.isComplete = true;
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
  }

  private msLeft({ startedAt }: KnownPass): number {
    return startedAt + this.intervalMs - this.now();
  }
}
