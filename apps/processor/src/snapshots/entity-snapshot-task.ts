import { TimeSlice } from '#async';
import type { MaterializedOffsetReader, OwnedPartition, PartitionTask } from '#engine';
import { limits, streamNameOf, type TopicAndGroupNames } from '#event';
import type { RecordBatch } from '#log';
import type { Definitions } from '#registry';
import { metrics, type Logger } from '#telemetry';
import { decodeLogRecord } from '../projections/decoded-record.js';
import type { EntitySnapshotCountdowns } from './entity-snapshot-countdowns.js';
import type { EntitySnapshotMaker } from './entity-snapshot-maker.js';

export interface EntitySnapshotTaskDependencies {
  topics: TopicAndGroupNames;
  definitions: Pick<Definitions, 'stream'>;
  due: EntitySnapshotCountdowns;
  materialized: MaterializedOffsetReader;
  maker: EntitySnapshotMaker;
  logger: Logger;
}

/** Counts the events of one partition, and requests a snapshot of each entity for which a snapshot may be due. */
export class EntitySnapshotTask implements PartitionTask {
  constructor(
    readonly partition: OwnedPartition,
    private readonly parts: EntitySnapshotTaskDependencies,
  ) {}

  get start(): number {
    return this.partition.assignment.position;
  }

  get from(): number {
    return this.start;
  }

  async take(batch: RecordBatch): Promise<void> {
    const { partition } = this;
    try {
      await this.make(batch);
      await partition.commits.offer(batch.next);
      partition.handledUntil = batch.records.at(-1)?.timestamp ?? partition.handledUntil;
    } catch (error) {
      if (partition.ended.aborted) return;
      metrics.snapshotFailures.inc({ reason: 'error' });
      // No query result depends on a snapshot, so the process continues after a failed snapshot.
      this.parts.logger.error(
        { err: error as Error, topic: batch.topic },
        'snapshots of a batch failed and are skipped',
      );
    }
  }

  close(): void {
    // The task has no shared resources to release.
  }

  private async make(batch: RecordBatch): Promise<void> {
    const { topics, definitions, materialized, maker } = this.parts;
    const { ended } = this.partition;
    const id = topics.streamOf(batch.topic);
    const definition = id && definitions.stream(streamNameOf(id));
    if (definition?.id !== id || definition?.state !== 'live') return;
    const every = definition.snapshot_every ?? limits.snapshotEvery;
    if (every === 0) return;
    const { topic, partition, next: until } = batch;
    const stream = definition.id;
    const entityIds = await this.dueOf(batch, stream, every);
    if (entityIds.length === 0 || !(await materialized.reaches({ topic, partition, until }, ended))) return;
    await maker.make({ stream, every, entityIds, partition }, ended);
  }

  /**
   * Returns the entities of a batch for which a snapshot may be due. Yields to other work of the process between
   * records.
   */
  private async dueOf({ records }: RecordBatch, stream: string, every: number): Promise<string[]> {
    const due = new Set<string>();
    const turn = new TimeSlice();
    for (const record of records) {
      if (turn.over(record.value?.length ?? 0)) await turn.end();
      const entityId = decodeLogRecord(record)?.entityId;
      if (entityId != null && this.parts.due.passed(stream, entityId, every)) due.add(entityId);
    }
    return [...due];
  }
}
