import {
  PartitionErasureLookup,
  PartitionTaskHost,
  warmUpStart,
  type DefinitionRunner,
  type KafkaOrClickHouseRetrier,
  type OwnedPartition,
  type TaskFactory,
} from '#engine';
import { streamNameOf } from '#event';
import {
  historyStage,
  StoreUnavailableError,
  type KeyedStateRow,
  type KeyedStateStore,
  type PartitionCheckpoint,
  type StatePartitionKey,
} from '#store';
import type { Tracing } from '#telemetry';
import {
  endAfterCheckpoint,
  initialProgress,
  NotResumableError,
  type PartitionTaskDependencies,
} from '#processor-kit';
import type { DesiredGeneration } from './desired-generations.js';
import type { SharedKeyStateCache } from './shared-key-state-cache.js';
import { ingestionDisorder } from './ingestion-clock.js';
import { PartitionProjector } from './partition-projector.js';
import { ProjectionTask } from './projection-task.js';
import type { ProjectionCheckpointer } from './save-states.js';
import { noneWhenGone, type BackfillFromStore } from './backfill-from-store.js';

/** Dependencies that all generations of a process share. */
export interface ProjectionDependencies extends PartitionTaskDependencies {
  writer: Pick<KeyedStateStore, 'load' | 'progressOf' | 'save'>;
  retry: KafkaOrClickHouseRetrier;
  checkpointer: ProjectionCheckpointer;
  keys: SharedKeyStateCache;
  history: BackfillFromStore;
  tracing?: Tracing | undefined;
  /** Returns the current time in milliseconds since 1970. */
  now: () => number;
  /** Marks a generation as failed: it cannot continue until the projection is reset. */
  giveUp(generation: string, reason: string): void;
  /** Called when no generation can continue. The caller should end the process. */
  onFailure(error: unknown): void;
}

/** Milliseconds after which the log has lost records, if it still ends before the checkpoint. */
const goneMs = 15_000;

/** Number of attempts to load states and histories of the same position. */
const loadAttempts = 5;

/** Milliseconds for which a fetch collects records: less than the usual time between two saves (500). */
const collectMs = 250;

/**
 * Runs one generation of a projection in this process: folds the partitions that the generation's consumer group
 * assigns to this process.
 */
export class RunningGeneration implements DefinitionRunner<DesiredGeneration>, TaskFactory<ProjectionTask> {
  /** Name of the projection. */
  readonly name = this.generation.name;
  private readonly id = this.generation.compiled.build.id;
  readonly group = this.dependencies.topics.projectionGroup(this.id);
  private readonly host: PartitionTaskHost<ProjectionTask>;
  private isMeasuring = false;

  constructor(
    private readonly generation: DesiredGeneration,
    private readonly dependencies: ProjectionDependencies,
  ) {
    const { checkpointer } = dependencies;
    this.host = new PartitionTaskHost({
      ...dependencies,
      name: this.name,
      group: this.group,
      collectMs,
      tasks: this,
      checkpointer: {
        drop: ({ projector }) => checkpointer.drop(projector),
        flush: () => checkpointer.flush(),
      },
      onFailure: (error) => {
        if (error instanceof NotResumableError) dependencies.giveUp(this.id, error.message);
        else dependencies.onFailure(error);
      },
    });
  }

  [Symbol.iterator](): Iterator<ProjectionTask> {
    return this.host[Symbol.iterator]();
  }

  /** Saves the states of the generation early, because a reader waits for the states. */
  flushSoon(): void {
    this.dependencies.checkpointer.flushSoon();
    this.host.fetchNow();
    if (this.generation.compiled.history === undefined || this.isMeasuring) return;
    this.isMeasuring = true;
    this.measure()
      .catch((error: unknown) => this.dependencies.logger.debug({ err: error }, 'the ends are not known'))
      .finally(() => (this.isMeasuring = false));
  }

  /**
   * Saves in each partition that is read to its end that all events ingested until now are folded. A look-up as of a time
   * waits for it. If it fails, the look-up asks again.
   */
  private async measure(): Promise<void> {
    const { log, checkpointer, now } = this.dependencies;
    const topics = new Set([...this].map(({ partition }) => partition.topic));
    for (const topic of topics) {
      const time = now() * 1000 - ingestionDisorder;
      const ends = await log.admin.offsets(topic).catch(noneWhenGone);
      for (const { partition: number, end } of ends)
        for (const { partition, projector } of this)
          if (partition.topic === topic && partition.partition === number && projector.hasReadAll(end, time))
            checkpointer.add(projector);
    }
    checkpointer.flushSoon();
  }

  async follow({ streams, compiled }: DesiredGeneration): Promise<void> {
    const { sources } = compiled.build;
    const { topics } = this.dependencies;
    await this.host.subscribe(streams.map((stream) => topics.ofStream(sources[stream]!.id)));
  }

  async stop(givenUp: Promise<unknown>): Promise<void> {
    await this.host.stop(givenUp);
  }

  async open(owned: OwnedPartition): Promise<ProjectionTask> {
    const { idWindows, erasures, keys, retry, topics, tracing, now } = this.dependencies;
    const { name, compiled } = this.generation;
    const { topic, partition, assignment, ended } = owned;
    const { position, beginning } = assignment;
    const id = topics.streamOf(topic);
    const stream = streamNameOf(id ?? topic);
    const place = { owner: compiled.build.id, stage: '', stream, partition };
    const { saved, from } = await this.savedProgress(place, ended);
    await this.requireProcessedRecords(owned, saved?.next === from ? saved : { next: from });
    const warmUp = await this.warmUpStart(owned, from);
    if (from < beginning) owned.commitFrom(from);
    // The previous owner of the partition died between saving its last checkpoint and committing the offset.
    else if (saved && from === position && owned.oldest === undefined) owned.commitFrom(position - 1);
    const window = idWindows.open({
      topic,
      partition,
      beginning,
      epochBefore: (offset) => assignment.epochBefore(offset),
      readsStore: true,
      position: Math.min(from, position),
      warmUpStart: warmUp,
    });
    const source = compiled.build.sources[stream]!;
    const projector = new PartitionProjector({
      ...{ name, compiled, place, partition: owned, from, window, progress: saved },
      traced: tracing !== undefined,
      // The progress of a partition is saved before its first state. Without saved progress, the store therefore has
      // no states of the partition.
      keys: keys.open({ complete: saved === undefined }),
      erasures: new PartitionErasureLookup(erasures, { stream: source.id, partition }),
      load: (missing) => retry.run('store', ended, () => this.load(place, missing)),
      now: () => now() * 1000,
    });
    return new ProjectionTask({
      ...this.dependencies,
      ...{ partition: owned, window, from, projector },
      place: { name, topic, stream: id ?? topic, partition },
    });
  }

  /** Loads the states of keys, and their histories if the projection keeps them. @throws StoreUnavailableError */
  private async load(of: StatePartitionKey, keys: readonly string[]): Promise<KeyedStateRow[]> {
    const { writer } = this.dependencies;
    if (this.generation.compiled.history === undefined) return writer.load(of, keys);
    for (let attempt = 0; attempt < loadAttempts; attempt++) {
      const states = await writer.load(of, keys);
      const histories = await writer.load({ ...of, stage: historyStage }, keys);
      // Both rows of a key are saved together, but a process that no longer owns the partition may do so in between.
      const positions = new Map(histories.map(({ key, position }) => [key, position]));
      if (states.every(({ key, position }) => positions.get(key) === position))
        return [...states, ...histories];
    }
    throw new StoreUnavailableError('the states of a projection change while they are loaded');
  }

  /**
   * Resolves with the stored progress of the partition, and the offset from which events are folded into states. The
   * stored progress decides where folding starts, and not the committed offset, because Kafka deletes committed offsets
   * after a week without members of the group, and the store may have been lost.
   */
  private async savedProgress(
    place: StatePartitionKey,
    ended: AbortSignal,
  ): Promise<{ saved: PartitionCheckpoint | undefined; from: number }> {
    const { retry, writer, now } = this.dependencies;
    const saved = await retry.run('store', ended, () => writer.progressOf(place));
    const first = this.generation.compiled.build.sources[place.stream]?.starts?.[place.partition] ?? 0;
    const from = Math.max(saved?.next ?? 0, first);
    const begun = { ...place, ...initialProgress, next: from, updated_at: now() * 1000 };
    if (!saved) await retry.run('store', ended, () => writer.save([], [begun]));
    return { saved, from };
  }

  /** @throws NotResumableError if the log has lost records below the checkpoint */
  private async requireProcessedRecords(
    owned: OwnedPartition,
    checkpoint: Pick<PartitionCheckpoint, 'next' | 'leader_epoch'>,
  ): Promise<void> {
    const { retry, log, topics } = this.dependencies;
    const { topic, partition, assignment, ended } = owned;
    if (!assignment.lost && checkpoint.next <= assignment.position) return;
    const where = `partition ${partition} of the stream ${streamNameOf(topics.streamOf(topic) ?? topic)}`;
    await retry.run('log', ended, () =>
      endAfterCheckpoint(owned, checkpoint, { log, where, reset: 'projection', patienceMs: goneMs }),
    );
  }

  /** Resolves with the offset from which an id window must read the log to decide from `from` on. */
  private async warmUpStart({ assignment, ended }: OwnedPartition, from: number): Promise<number> {
    const { retry, idWindows, now } = this.dependencies;
    const { position, beginning } = assignment;
    const { bounds } = idWindows;
    if (from < position) return Math.max(beginning, from - bounds.records);
    return await retry.run('log', ended, () => warmUpStart(assignment, bounds, now()));
  }
}
