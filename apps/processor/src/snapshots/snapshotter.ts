import { setTimeout as sleep } from 'node:timers/promises';
import { Retry, type FollowedPartition } from '#engine';
import { allStreams, isReservedStream } from '#api';
import { limits, type TopicNames } from '#event';
import { Turn } from '#async';
import type { Definitions } from '#registry';
import { EntityStateTooLargeError, makeSnapshot } from '#entities';
import {
  partitionKey,
  UnknownTopicError,
  type Assignment,
  type Consumer,
  type ConsumerHandler,
  type Log,
  type RecordBatch,
} from '#log';
import { QueryTooExpensiveError, type EventWriter, type SnapshotStore } from '#store';
import { metrics, type Logger } from '#telemetry';
import { readRecord } from '../projections/read-event.js';
import { DueEntities } from './due-entities.js';

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

interface Held extends FollowedPartition {
  readonly commits: { committed: number };
  readonly ended: AbortController;
}

/** Snapshots that a process makes at a time: each of them is a few small queries. */
const atOnce = 2;

/**
 * Makes snapshots of entities whose version passes a multiple of their stream's `snapshot_every`. It follows the log in a
 * group of its own and counts; where a snapshot may be due it waits for the materializer and looks into the store. What it
 * misses, a crash or a long count in between, costs a later read some events more, and never changes its answer.
 */
export class Snapshotter implements ConsumerHandler {
  private readonly due: DueEntities;
  private readonly retry: Retry;
  private readonly consumer: Consumer;
  private readonly held = new Map<string, Held>();
  /** The streams that are followed, and which of their name. */
  private followed = new Map<string, string>();
  /** One partition's snapshots are made after the other's. */
  private turn: Promise<unknown> = Promise.resolve();
  private closed = false;
  private stopListening: () => void = () => undefined;

  constructor(private readonly options: SnapshotterOptions) {
    const { log, topics, logger } = options;
    this.due = new DueEntities(options.mostCounted ?? 100_000);
    this.retry = new Retry({ logger, ...options.retryDelays });
    this.consumer = log.consumer({
      group: topics.snapshotGroup,
      handler: this,
      lifeOf: (topic) => this.followed.get(topics.streamOf(topic) ?? topic),
      onCrash: (error) => options.onFailure(error),
    });
  }

  /** Follows the streams that there are, as they change. */
  start(): void {
    this.stopListening = this.options.definitions.onChange(() => this.follow());
    this.follow();
  }

  /** The partitions that this process has now. */
  partitions(): Iterable<FollowedPartition> {
    return this.held.values();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.stopListening();
    for (const { ended } of this.held.values()) ended.abort();
    await this.consumer.close();
  }

  async assigned(assignment: Assignment): Promise<number> {
    const { now = Date.now } = this.options;
    const { topic, partition, position } = assignment;
    this.revoked(assignment);
    const ended = new AbortController();
    const commits = { committed: position };
    const held: Held = { topic, partition, commits, ended, end: position, handledUntil: now() };
    this.held.set(partitionKey(held), held);
    try {
      const oldest = await this.retry.run('log', ended.signal, () => assignment.timestampAtPosition());
      held.handledUntil = oldest ?? held.handledUntil;
    } catch (error) {
      if (!ended.signal.aborted) this.options.onFailure(error as Error);
    }
    return position;
  }

  revoked(place: { topic: string; partition: number }): void {
    this.held.get(partitionKey(place))?.ended.abort();
    this.held.delete(partitionKey(place));
  }

  async batch(batch: RecordBatch): Promise<void> {
    const held = this.held.get(partitionKey(batch));
    if (!held || this.closed) return;
    const { signal } = held.ended;
    try {
      await this.take(batch, signal);
      const { topic, partition, next } = batch;
      await this.retry.run('log', signal, () => this.consumer.commit(topic, partition, next));
      held.commits.committed = next;
      held.handledUntil = batch.records.at(-1)?.timestamp ?? held.handledUntil;
    } catch (error) {
      if (signal.aborted) return;
      metrics.snapshotFailures.inc({ reason: 'error' });
      // Nothing that is read depends on it: the projections of this process go on.
      this.options.logger.error(
        { err: error as Error, topic: batch.topic },
        'snapshots of a batch are left out',
      );
    }
  }

  private async take(batch: RecordBatch, signal: AbortSignal): Promise<void> {
    const { topics, definitions } = this.options;
    const stream = topics.streamOf(batch.topic);
    const definition = stream === undefined ? undefined : definitions.stream(stream);
    if (definition?.state !== 'live') return;
    const every = definition.snapshot_every ?? limits.snapshotEvery;
    if (every === 0) return;
    const entityIds = await this.dueOf(batch, definition.stream, every);
    if (entityIds.length === 0 || !(await this.isMaterialized(batch, signal))) return;
    const work = () => this.make({ stream: definition.stream, every, entityIds, batch }, signal);
    const done = this.turn.then(work, work);
    this.turn = done.catch(() => undefined);
    await done;
  }

  /** Other work of the process gets its turn between two records. */
  private async dueOf({ records }: RecordBatch, stream: string, every: number): Promise<string[]> {
    const due = new Set<string>();
    const turn = new Turn();
    for (const record of records) {
      if (turn.over(record.value?.length ?? 0)) await turn.end();
      const entityId = readRecord(record)?.entityId;
      if (entityId != null && this.due.passed(stream, entityId, every)) due.add(entityId);
    }
    return [...due];
  }

  /** Waits until all of the batch can be queried; false when its topic is gone. */
  private async isMaterialized(
    { topic, partition, next }: RecordBatch,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { log, topics, lookMs = 1000 } = this.options;
    for (;;) {
      try {
        const committed = await this.retry.run('log', signal, () =>
          log.admin.committed(topics.materializerGroup, topic),
        );
        if ((committed.get(partition) ?? 0) >= next) return true;
      } catch (error) {
        if (error instanceof UnknownTopicError) return false;
        throw error;
      }
      await sleep(lookMs, undefined, { signal });
    }
  }

  private async make(
    wanted: { stream: string; every: number; entityIds: readonly string[]; batch: RecordBatch },
    signal: AbortSignal,
  ): Promise<void> {
    const { stream, every, entityIds, batch } = wanted;
    const { partition } = batch;
    const query = { stream, partition, entityIds, before: Number.MAX_SAFE_INTEGER };
    const versions = await this.retry.run('store', signal, () => this.options.versions.versions(query));
    const entities = versions.entries();
    const worker = async (): Promise<void> => {
      for (const [entityId, version] of entities) {
        this.due.found({ stream, entityId }, version, every);
        const multiple = version - (version % every);
        if (multiple > 0) await this.makeOne({ stream, entityId, version: multiple }, signal);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  private async makeOne(
    entity: { stream: string; entityId: string; version: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { snapshots, logger, now = Date.now } = this.options;
    const request = { ...entity, access: allStreams, reason: 'automatic', now: now() * 1000 } as const;
    try {
      const made = await this.retry.run('store', signal, () => makeSnapshot(snapshots, request, signal));
      if (made === 'removed_meanwhile') metrics.snapshotFailures.inc({ reason: made });
      else if (made !== 'no_events' && made.created) metrics.snapshots.inc();
    } catch (error) {
      const hasNone = error instanceof EntityStateTooLargeError || error instanceof QueryTooExpensiveError;
      if (!hasNone) throw error;
      metrics.snapshotFailures.inc({ reason: 'too_large' });
      logger.debug({ stream: entity.stream, version: entity.version, reason: error.message }, 'no snapshot');
    }
  }

  private follow(): void {
    const { definitions, topics } = this.options;
    if (this.closed) return;
    const wanted = definitions
      .streams()
      .filter(({ stream, state }) => state === 'live' && !isReservedStream(stream))
      .filter(({ snapshot_every }) => snapshot_every !== 0)
      .map(({ stream, created_at }): [string, string] => [stream, created_at]);
    const before = this.followed;
    this.followed = new Map(wanted);
    for (const [stream, created_at] of wanted)
      if ((before.get(stream) ?? created_at) !== created_at) this.consumer.reassign(topics.ofStream(stream));
    if (before.size === wanted.length && wanted.every(([stream]) => before.has(stream))) return;
    this.consumer
      .subscribe(wanted.map(([stream]) => topics.ofStream(stream)))
      .catch((error: Error) => this.options.onFailure(error));
  }
}
