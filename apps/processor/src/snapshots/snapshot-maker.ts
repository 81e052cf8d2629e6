import type { EngineRetry } from '#engine';
import { createSnapshots } from '#entities';
import type { EventWriter, Store } from '#store';
import { metrics, type Logger } from '#telemetry';
import type { SnapshotCountdowns } from './snapshot-countdowns.js';

export interface SnapshotMakerOptions {
  snapshots: Store['snapshots'];
  versions: Pick<EventWriter, 'latestVersions'>;
  due: SnapshotCountdowns;
  retry: EngineRetry;
  logger: Logger;
  /** Returns the current time in milliseconds since 1970. */
  now: () => number;
}

/** Entities of one partition for which a snapshot may be due. */
export interface SnapshotCandidates {
  stream: string;
  partition: number;
  every: number;
  entityIds: readonly string[];
}

/**
 * Looks up the versions of entities, and makes a snapshot of each entity at the greatest multiple of `every` that the
 * entity's version has reached.
 */
export class SnapshotMaker {
  /** Settles when the last requested batch is processed; batches are processed one after another. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: SnapshotMakerOptions) {}

  /** Resolves when the snapshots of a batch are made. @throws the signal's reason */
  async make(batch: SnapshotCandidates, signal: AbortSignal): Promise<void> {
    const work = () => this.makeNow(batch, signal);
    const done = this.last.then(work, work);
    this.last = done.catch(() => undefined);
    await done;
  }

  private async makeNow(
    { stream, partition, every, entityIds }: SnapshotCandidates,
    signal: AbortSignal,
  ): Promise<void> {
    const { retry, versions: store, snapshots, due, now, logger } = this.options;
    const query = { stream, partition, entityIds, before: Number.MAX_SAFE_INTEGER };
    const versions = await retry.run('store', signal, () => store.latestVersions(query));
    const upTo = new Map<string, number>();
    for (const [entityId, version] of versions) {
      due.found({ stream, entityId }, version, every);
      if (version >= every) upTo.set(entityId, version - (version % every));
    }
    const request = { stream, upTo, now: now() * 1000 };
    const counts = await retry.run('store', signal, () => createSnapshots(snapshots, request, signal));
    metrics.snapshots.inc(counts.created);
    metrics.snapshotFailures.inc({ reason: 'removed_meanwhile' }, counts.removedMeanwhile);
    metrics.snapshotFailures.inc({ reason: 'too_large' }, counts.tooLarge);
    if (counts.tooLarge > 0)
      logger.debug({ stream, entities: counts.tooLarge }, 'states are too large for a snapshot');
  }
}
