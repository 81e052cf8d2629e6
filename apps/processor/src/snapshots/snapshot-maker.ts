import type { EngineRetry } from '#engine';
import { allStreams } from '#api';
import { EntityStateTooLargeError, createSnapshot } from '#entities';
import { QueryTooExpensiveError, type EventWriter, type SnapshotStore } from '#store';
import { metrics, type Logger } from '#telemetry';
import type { SnapshotCountdowns } from './snapshot-countdowns.js';

export interface SnapshotMakerOptions {
  snapshots: SnapshotStore;
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

interface SnapshotVersion {
  stream: string;
  entityId: string;
  version: number;
}

/** Maximum number of snapshots that are made at the same time. Each snapshot takes a few small queries. */
const atOnce = 2;

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
    const { retry, versions: store, due } = this.options;
    const query = { stream, partition, entityIds, before: Number.MAX_SAFE_INTEGER };
    const versions = await retry.run('store', signal, () => store.latestVersions(query));
    const entities = versions.entries();
    const worker = async (): Promise<void> => {
      for (const [entityId, version] of entities) {
        due.found({ stream, entityId }, version, every);
        const multiple = version - (version % every);
        if (multiple > 0) await this.makeOne({ stream, entityId, version: multiple }, signal);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  private async makeOne(entity: SnapshotVersion, signal: AbortSignal): Promise<void> {
    const { snapshots, retry, logger, now } = this.options;
    const request = { ...entity, access: allStreams, reason: 'automatic', now: now() * 1000 } as const;
    try {
      const made = await retry.run('store', signal, () => createSnapshot(snapshots, request, signal));
      if (made === 'removed_meanwhile') metrics.snapshotFailures.inc({ reason: made });
      else if (made !== 'no_events' && made.created) metrics.snapshots.inc();
    } catch (error) {
      const hasNone = error instanceof EntityStateTooLargeError || error instanceof QueryTooExpensiveError;
      if (!hasNone) throw error;
      metrics.snapshotFailures.inc({ reason: 'too_large' });
      logger.debug({ stream: entity.stream, version: entity.version, reason: error.message }, 'no snapshot');
    }
  }
}
