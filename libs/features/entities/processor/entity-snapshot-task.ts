import { TimeSlice } from '#async';
import type { MaterializedOffsetReader, OwnedPartition, PartitionTask } from '#engine';
import { limits, streamNameOf, type TopicAndGroupNames } from '#event';
import type { RecordBatch } from '#kafka';
import type { Definitions } from '#registry';
import type { Logger } from '#telemetry';
import type { PartitionEntityFold } from './partition-entity-fold.js';
import type { EntitySnapshotBatcher } from './entity-snapshot-batcher.js';
import type { PartitionDueSnapshots } from './entity-snapshot-round.js';
import type { WaitingStatesBudget } from './entity-snapshot-countdowns.js';
import { snapshotFailures } from './snapshot-metrics.js';

interface EntitySnapshotTaskDependencies {
  topics: TopicAndGroupNames;
  definitions: Pick<Definitions, 'stream'>;
  waiting: WaitingStatesBudget;
  materialized: MaterializedOffsetReader;
  maker: EntitySnapshotBatcher;
  logger: Logger;
}

/** Maximum number of offsets that are folded before the snapshots below them are made. */
const mostAhead = 50_000;

/**
 * Folds the records of one partition, and makes the due snapshots in the background. The offset of a batch is committed
 * when the due snapshots of the batch are made.
 */
export class EntitySnapshotTask implements PartitionTask {
  /** Offset below which all records are folded. */
  private next: number;
  /** Offset below which all due snapshots are made. */
  private made: number;
  private handledUntil: number;
  private isMaking = false;
  private isFolding = false;
  private making = Promise.resolve();

  constructor(
    readonly partition: OwnedPartition,
    private readonly folder: PartitionEntityFold,
    private readonly dependencies: EntitySnapshotTaskDependencies,
  ) {
    this.next = this.made = partition.assignment.position;
    this.handledUntil = partition.handledUntil;
  }

  get start(): number {
    return this.partition.assignment.position;
  }

  get from(): number {
    return this.start;
  }

  async take(batch: RecordBatch): Promise<void> {
    const every = this.everyOf(batch.topic);
    if (every > 0) await this.fold(batch, every);
    // Records that are not folded would be missing in the states.
    else this.folder.forgetStates();
    if (this.partition.ended.aborted) return;
    this.next = batch.next;
    this.handledUntil = batch.records.at(-1)?.timestamp ?? this.handledUntil;
    const made = this.make();
    const { folder, dependencies } = this;
    if (folder.needsStates || dependencies.waiting.isFull || this.next - this.made > mostAhead) await made;
  }

  close(): void {
    this.folder.forgetStates();
  }

  /** Returns the versions between two snapshots; 0 if no snapshots are made of the topic's stream now. */
  private everyOf(topic: string): number {
    const id = this.dependencies.topics.streamOf(topic);
    const definition = id && this.dependencies.definitions.stream(streamNameOf(id));
    if (definition?.id !== id || definition?.state !== 'live') return 0;
    return definition.snapshot_every ?? limits.snapshotEvery;
  }

  /** Folds a batch. Yields to other work of the process between records. */
  private async fold({ records }: RecordBatch, every: number): Promise<void> {
    const turn = new TimeSlice();
    this.isFolding = true;
    for (const record of records) {
      if (turn.over(record.value?.length ?? 0)) await turn.end();
      if (this.partition.ended.aborted) break;
      this.folder.fold(record, every);
      if (!this.dependencies.waiting.isFull || !this.folder.isDue) continue;
      // Makes the snapshots that are due below an offset in the middle of the batch.
      this.isFolding = false;
      this.next = record.offset + 1;
      await this.make();
      this.isFolding = true;
    }
    this.isFolding = false;
  }

  /** Makes the due snapshots in the background. Resolves when none is due. Never rejects. */
  private make(): Promise<void> {
    if (!this.isMaking) this.making = this.makeAll();
    return this.making;
  }

  /** Makes the due snapshots, unless a batch is being folded: `next` is not the end of the folded records then. */
  private async makeAll(): Promise<void> {
    const { partition } = this;
    this.isMaking = true;
    try {
      while (!this.isFolding && (this.made < this.next || this.folder.isDue)) {
        const { next, handledUntil } = this;
        const work = this.folder.take();
        if (work) await this.makeOf(work, next);
        await partition.commits.offer(next);
        partition.handledUntil = handledUntil;
        this.made = next;
      }
    } catch (error) {
      this.report(error);
    } finally {
      this.isMaking = false;
    }
  }

  private async makeOf(work: PartitionDueSnapshots, until: number): Promise<void> {
    const { materialized, maker } = this.dependencies;
    const { ended, topic, partition } = this.partition;
    try {
      const isStored = await materialized.reaches({ topic, partition, until }, ended);
      if (isStored) this.folder.apply(work, await maker.make(work, ended));
      else this.folder.abandon(work);
    } catch (error) {
      this.folder.abandon(work);
      if (ended.aborted) throw error;
      // No query result depends on a snapshot, so the process continues after a failed snapshot.
      this.report(error);
    }
  }

  private report(error: unknown): void {
    const { ended, topic } = this.partition;
    if (ended.aborted) return;
    snapshotFailures.inc({ reason: 'error' });
    this.dependencies.logger.error(
      { err: error as Error, topic },
      'snapshots of a batch failed and are skipped',
    );
  }
}
