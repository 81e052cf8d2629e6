import { setTimeout as sleep } from 'node:timers/promises';
import { withAnySignal } from '#async';
import {
  EntitySnapshotRound,
  type DueSnapshotsOutcome,
  type EntitySnapshotRoundDependencies,
  type PartitionDueSnapshots,
} from './entity-snapshot-round.js';

interface EntitySnapshotMakerOptions extends EntitySnapshotRoundDependencies {
  /** Waits between two rounds, unless the signal is aborted. Never rejects. */
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Work for whose outcome a partition waits. */
interface WaitingWork {
  work: PartitionDueSnapshots;
  done: (outcome: DueSnapshotsOutcome) => void;
  failed: (error: unknown) => void;
}

/** Between the starts of two rounds are at least this many durations of the first one, but at most `longestPauseMs`. */
const pauseFactor = 15;
/** Longest pause between two rounds, in milliseconds. */
const longestPauseMs = 3_000;

/**
 * Makes the due snapshots of all partitions of this process, one round after the other. Work that arrives during a round
 * or the pause after it waits and is done together in the next round: a query for a thousand entities takes hardly
 * longer than a query for a hundred, and an entity that passes several multiples gets one snapshot.
 */
export class EntitySnapshotBatcher {
  private waiting: WaitingWork[] = [];
  private isRunning = false;
  /** Ends the pause between two rounds. */
  private hurry = new AbortController();
  private readonly closed = new AbortController();

  constructor(private readonly options: EntitySnapshotMakerOptions) {}

  /**
   * Resolves when the snapshots are made. The materializer must have stored all records from which they were folded.
   * @param work.isUrgent Whether the partition reads no further records before.
   * @throws the signal's reason, while the snapshots may still be made
   */
  async make(work: PartitionDueSnapshots, signal: AbortSignal): Promise<DueSnapshotsOutcome> {
    return await withAnySignal([signal, this.closed.signal], (ended) => {
      return new Promise<DueSnapshotsOutcome>((done, failed) => {
        ended.throwIfAborted();
        const waiting = { work, done, failed };
        const giveUp = () => {
          this.waiting = this.waiting.filter((one) => one !== waiting);
          failed(ended.reason as Error);
        };
        ended.addEventListener('abort', giveUp, { once: true });
        this.waiting.push(waiting);
        if (work.isUrgent) this.hurry.abort();
        void this.run();
      });
    });
  }

  /** Ends all calls of `make`. */
  close(): void {
    this.closed.abort();
  }

  /** Does the waiting work until there is none. Never rejects. */
  private async run(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    for (let group = this.waiting; group.length > 0; group = this.waiting) {
      this.waiting = [];
      this.hurry = new AbortController();
      const began = performance.now();
      for (const stream of new Set(group.map(({ work }) => work.stream))) await this.runRound(stream, group);
      const pauseMs = Math.min((performance.now() - began) * pauseFactor, longestPauseMs);
      const { pause = sleepUnlessAborted } = this.options;
      await withAnySignal([this.closed.signal, this.hurry.signal], (signal) => pause(pauseMs, signal));
    }
    this.isRunning = false;
  }

  /** Does the work of one stream. Never rejects. */
  private async runRound(stream: string, allStreams: readonly WaitingWork[]): Promise<void> {
    const group = allStreams.filter(({ work }) => work.stream === stream);
    try {
      const all = group.map(({ work }) => work);
      const outcomes = await new EntitySnapshotRound(stream, all, this.options).run(this.closed.signal);
      for (const { work, done } of group) done(outcomes.get(work)!);
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
  }
}

async function sleepUnlessAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
