import { MaterializedOffset, PartitionHost, Progress, Retry, type OwnedPartition } from '#engine';
import { isReservedStream } from '#api';
import type { TopicNames } from '#event';
import type { Definitions } from '#registry';
import type { Log } from '#log';
import type { EventWriter, SnapshotStore } from '#store';
import type { Logger } from '#telemetry';
import { DueEntities } from './due-entities.js';
import { SnapshotMaker } from './snapshot-maker.js';
import { SnapshotTask } from './snapshot-task.js';

/** Nobody waits for an automatic snapshot: records of a second are one fetch and one commit. */
const collectMs = 1_000;

export interface SnapshotterOptions {
  log: Pick<Log, 'admin' | 'consumer'>;
  topics: TopicNames;
  definitions: Pick<Definitions, 'stream' | 'streams' | 'onChange'>;
  snapshots: SnapshotStore;
  versions: Pick<EventWriter, 'versions'>;
  logger: Logger;
  retryDelays?: { firstDelayMs: number; longestDelayMs: number };
  /** Milliseconds between two looks at how far the materializer is. */
  lookMs?: number;
  /** Entities that are counted. */
  mostCounted?: number;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** It cannot go on by itself. The process should end. */
  onFailure(error: Error): void;
}

/**
 * Makes snapshots of entities whose version passes a multiple of their stream's `snapshot_every`. It follows the log in a
 * group of its own and counts; where a snapshot may be due it waits for the materializer and looks into the store. What it
 * misses, a crash or a long count in between, costs a later read some events more, and never changes its answer.
 */
export class Snapshotter {
  private readonly host: PartitionHost<SnapshotTask>;
  private stopListening: () => void = () => undefined;

  constructor(private readonly options: SnapshotterOptions) {
    const { log, topics, logger, lookMs, now = Date.now } = options;
    const retry = new Retry({ logger, ...options.retryDelays });
    const due = new DueEntities(options.mostCounted ?? 100_000);
    const materialized = new MaterializedOffset({ admin: log.admin, topics, retry, lookMs });
    const maker = new SnapshotMaker({ ...options, retry, due, now });
    const parts = { ...options, due, materialized, maker };
    this.host = new PartitionHost({
      ...{ log, retry, now, name: 'snapshots', group: topics.snapshotGroup, collectMs },
      // Whether it moves is nobody's health: what it misses costs a later read some events more.
      progress: new Progress(),
      tasks: { open: async (partition) => new SnapshotTask(partition, parts) },
      onFailure: (error) => options.onFailure(error as Error),
    });
  }

  /** Follows the streams that there are, as they change. */
  start(): void {
    this.stopListening = this.options.definitions.onChange(() => this.follow());
    this.follow();
  }

  /** The partitions that this process has now. */
  *partitions(): Iterable<OwnedPartition> {
    for (const { partition } of this.host) yield partition;
  }

  async close(): Promise<void> {
    this.stopListening();
    await this.host.stop(Promise.resolve());
  }

  private follow(): void {
    const { definitions, topics } = this.options;
    const wanted = definitions
      .streams()
      .filter(({ stream, state }) => state === 'live' && !isReservedStream(stream))
      .filter(({ snapshot_every }) => snapshot_every !== 0)
      .map(({ id }) => topics.ofStream(id));
    this.host.subscribe(wanted).catch((error: Error) => this.options.onFailure(error));
  }
}
