import {
  MaterializedOffsetReader,
  PartitionTaskHost,
  StalledConsumerDetector,
  KafkaOrClickHouseRetrier,
  type OwnedPartition,
} from '#engine';
import { isReservedStream } from '#api';
import type { Definitions } from '#registry';
import type { Log } from '#kafka';
import type { EntitySnapshotBatchStore } from '#features/entities/state';
import type { EventWriter } from '#store';
import type { TaskDependencies } from '#processor-kit';
import { EntityCache, type EntityCacheBounds } from './entity-cache.js';
import { PartitionEntityFold } from './partition-entity-fold.js';
import { EntitySnapshotCountdowns, WaitingStatesBudget } from './entity-snapshot-countdowns.js';
import { EntitySnapshotBatcher } from './entity-snapshot-batcher.js';
import { EntitySnapshotTask } from './entity-snapshot-task.js';

/**
 * Milliseconds for which a fetch collects records. No caller waits for an automatic snapshot, so the records of a
 * second are fetched and committed together.
 */
const collectMs = 1_000;
/** Limits of the states in memory, of all partitions of this process together. */
const cacheBounds: EntityCacheBounds = { entities: 50_000, characters: 48 * 1024 * 1024 };
/** Maximum number of characters of all states that wait to be saved. */
const mostWaiting = 8 * 1024 * 1024;

export interface EntitySnapshotterOptions extends Pick<
  TaskDependencies,
  'topics' | 'erasures' | 'logger' | 'onFailure'
> {
  log: Pick<Log, 'admin' | 'consumer'>;
  definitions: Pick<Definitions, 'stream' | 'streams' | 'onChange'>;
  snapshots: EntitySnapshotBatchStore;
  versions: Pick<EventWriter, 'latestVersions'>;
  retryDelays?: { firstDelayMs: number; longestDelayMs: number };
  /** Milliseconds between two polls of the offset that the materializer has committed. */
  lookMs?: number;
  /** Limits of the states in memory. */
  cache?: EntityCacheBounds;
  /** Maximum number of characters of all states that wait to be saved. */
  mostWaiting?: number;
  /** Maximum number of entities that are counted, because their state is not in memory. */
  mostCounted?: number;
  /** Returns the current time in milliseconds since 1970. */
  now?: () => number;
}

/**
 * Makes a snapshot of an entity when the entity's version passes a multiple of `snapshot_every` of its stream. The
 * snapshotter reads the log in a consumer group of its own and folds the records into states in memory. When a snapshot
 * is due, the snapshotter waits for the materializer, compares the version with that of the store, and saves the state.
 * The state of an entity that is not in memory is read from the store. A snapshot that is missed, for example after a
 * crash, makes a later read slower but never changes the result of the read.
 */
export class EntitySnapshotter {
  private readonly host: PartitionTaskHost<EntitySnapshotTask>;
  private readonly maker: EntitySnapshotBatcher;
  private stopListening: () => void = () => undefined;

  constructor(private readonly options: EntitySnapshotterOptions) {
    const { log, topics, logger, lookMs, now = Date.now } = options;
    const retry = new KafkaOrClickHouseRetrier({ logger, ...options.retryDelays });
    const countdowns = new EntitySnapshotCountdowns(options.mostCounted ?? 100_000);
    const materialized = new MaterializedOffsetReader({ admin: log.admin, topics, retry, lookMs });
    const maker = new EntitySnapshotBatcher({ ...options, retry, countdowns, now });
    const waiting = new WaitingStatesBudget(options.mostWaiting ?? mostWaiting);
    const cache = new EntityCache(options.cache ?? cacheBounds);
    const open = async (owned: OwnedPartition) => {
      const { topic, partition, position } = owned.assignment;
      const stream = topics.streamOf(topic);
      if (!stream) return 'not-mine';
      const { erasures } = options;
      const isComplete = position === 0;
      const shared = { stream, partition, cache, isComplete, countdowns, waiting, erasures };
      return new EntitySnapshotTask(owned, new PartitionEntityFold(shared), {
        ...options,
        waiting,
        materialized,
        maker,
      });
    };
    this.maker = maker;
    this.host = new PartitionTaskHost({
      log,
      logger,
      retry,
      now,
      name: 'snapshots',
      group: topics.snapshotGroup,
      collectMs,
      // A missing snapshot only makes a later read slower, so the snapshotter does not affect the health checks.
      progress: new StalledConsumerDetector(),
      tasks: { open },
      onFailure: (error) => options.onFailure(error as Error),
    });
  }

  /** Starts reading all streams with snapshots, and follows changes of the definitions. */
  start(): void {
    this.stopListening = this.options.definitions.onChange(() => this.follow());
    this.follow();
  }

  /** Yields the partitions of the snapshotter that are assigned to this process now. */
  *partitions(): Iterable<OwnedPartition> {
    for (const { partition } of this.host) yield partition;
  }

  async close(): Promise<void> {
    this.stopListening();
    await this.host.stop(Promise.resolve());
    this.maker.close();
  }

  private follow(): void {
    const { definitions, topics } = this.options;
    const desired = definitions
      .streams()
      .filter(({ stream, state }) => state === 'live' && !isReservedStream(stream))
      .filter(({ snapshot_every }) => snapshot_every !== 0)
      .map(({ id }) => topics.ofStream(id));
    this.host.subscribe(desired).catch((error: Error) => this.options.onFailure(error));
  }
}
