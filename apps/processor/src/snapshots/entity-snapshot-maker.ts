import { withAnySignal } from '#async';
import type { EngineCallRetrier } from '#engine';
import { createSnapshots } from '#entities';
import type { EventWriter, Store } from '#store';
import { metrics, type Logger } from '#telemetry';
import type { EntitySnapshotCountdowns } from './entity-snapshot-countdowns.js';

export interface EntitySnapshotMakerOptions {
  snapshots: Store['snapshots'];
  versions: Pick<EventWriter, 'latestVersions'>;
  due: EntitySnapshotCountdowns;
  retry: EngineCallRetrier;
  logger: Logger;
  /** Returns the current time in milliseconds since 1970. */
  now: () => number;
}

/** Entities of one partition for which a snapshot may be due. */
export interface EntitySnapshotCandidates {
  stream: string;
  partition: number;
  every: number;
  entityIds: readonly string[];
}

/** Candidates whose snapshots somebody waits for. */
interface WaitingCandidates {
  candidates: EntitySnapshotCandidates;
  done: () => void;
  failed: (error: unknown) => void;
}

/**
 * Looks up the versions of entities, and makes a snapshot of each entity at the greatest multiple of `every` that the
 * entity's version has reached. Candidates that arrive while others are processed wait and are processed together: a
 * query for a thousand entities takes hardly longer than a query for a hundred.
 */
export class EntitySnapshotMaker {
  private waiting: WaitingCandidates[] = [];
  private isRunning = false;
  private readonly closed = new AbortController();

  constructor(private readonly options: EntitySnapshotMakerOptions) {}

  /** Resolves when the snapshots are made. @throws the signal's reason, while the snapshots may still be made */
  async make(candidates: EntitySnapshotCandidates, signal: AbortSignal): Promise<void> {
    await withAnySignal([signal, this.closed.signal], (ended) => {
      return new Promise<void>((done, failed) => {
        ended.throwIfAborted();
        const waiting = { candidates, done, failed };
        const giveUp = () => {
          this.waiting = this.waiting.filter((one) => one !== waiting);
          failed(ended.reason as Error);
        };
        ended.addEventListener('abort', giveUp, { once: true });
        this.waiting.push(waiting);
        void this.run();
      });
    });
  }

  /** Ends all calls of `make`. */
  close(): void {
    this.closed.abort();
  }

  /** Processes the waiting candidates until there are none. Never rejects. */
  private async run(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    for (let group = this.waiting; group.length > 0; group = this.waiting) {
      this.waiting = [];
      for (const [stream, ofStream] of byStream(group)) await this.makeFor(stream, ofStream);
    }
    this.isRunning = false;
  }

  /** Makes the snapshots of one stream's candidates. Never rejects. */
  private async makeFor(stream: string, group: readonly WaitingCandidates[]): Promise<void> {
    try {
      const upTo = new Map<string, number>();
      for (const { candidates } of group)
        for (const [entityId, version] of await this.dueVersions(candidates)) upTo.set(entityId, version);
      await this.makeAt(stream, upTo);
      for (const { done } of group) done();
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
  }

  /** Returns the version of the snapshot that each entity should have. */
  private async dueVersions({
    stream,
    partition,
    every,
    entityIds,
  }: EntitySnapshotCandidates): Promise<Map<string, number>> {
    const { retry, versions, due } = this.options;
    const query = { stream, partition, entityIds, before: Number.MAX_SAFE_INTEGER };
    const found = await retry.run('store', this.closed.signal, () => versions.latestVersions(query));
    const upTo = new Map<string, number>();
    for (const [entityId, version] of found) {
      due.found({ stream, entityId }, version, every);
      if (version >= every) upTo.set(entityId, version - (version % every));
    }
    return upTo;
  }

  private async makeAt(stream: string, upTo: ReadonlyMap<string, number>): Promise<void> {
    const { retry, snapshots, now, logger } = this.options;
    const { signal } = this.closed;
    const request = { stream, upTo, now: now() * 1000 };
    const counts = await retry.run('store', signal, () => createSnapshots(snapshots, request, signal));
    metrics.snapshots.inc(counts.created);
    metrics.snapshotFailures.inc({ reason: 'removed_meanwhile' }, counts.removedMeanwhile);
    metrics.snapshotFailures.inc({ reason: 'too_large' }, counts.tooLarge);
    if (counts.tooLarge > 0)
      logger.debug({ stream, entities: counts.tooLarge }, 'states are too large for a snapshot');
  }
}

function byStream(group: readonly WaitingCandidates[]): Map<string, WaitingCandidates[]> {
  const found = new Map<string, WaitingCandidates[]>();
  for (const waiting of group) {
    const { stream } = waiting.candidates;
    found.set(stream, [...(found.get(stream) ?? []), waiting]);
  }
  return found;
}
