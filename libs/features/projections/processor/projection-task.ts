import { withAnySignal } from '#async';
import type { OwnedPartition, PartitionTask } from '#engine';
import type { RecordBatch } from '#kafka';
import type { IdWindowReader } from '#dataflow';
import type { FoldOutcomeCounts, PartitionProjector } from './partition-projector.js';
import type { ProjectionCheckpointer } from './save-states.js';
import type { ProjectionSourcePartition, BackfillFromStore } from './backfill-from-store.js';
import { projectionEvents, projectionFailed, projectionDuplicates } from './projection-metrics.js';

interface ProjectionTaskOptions {
  partition: OwnedPartition;
  projector: PartitionProjector;
  place: ProjectionSourcePartition;
  window: Pick<IdWindowReader, 'bounds' | 'startAt' | 'start' | 'close'>;
  from: number;
  history: BackfillFromStore;
  checkpointer: ProjectionCheckpointer;
  onFailure(error: unknown): void;
}

/**
 * Folds one partition for one generation of a projection. The task first reads the events that Kafka no longer has from
 * ClickHouse, and then continues with the records in Kafka.
 */
export class ProjectionTask implements PartitionTask {
  /** Resolves true when batches may be folded, and false if no batch may be folded any more. */
  readonly ready: Promise<boolean>;
  readonly partition = this.options.partition;
  readonly projector = this.options.projector;
  readonly window = this.options.window;
  readonly start = this.options.window.start;
  readonly from = this.options.from;
  /** The first offset that the next batch should have. */
  private expected = this.options.window.start;

  constructor(private readonly options: ProjectionTaskOptions) {
    this.ready = this.prepare().catch((error: unknown) => {
      if (!options.partition.ended.aborted) options.onFailure(error);
      return false;
    });
  }

  async take(batch: RecordBatch): Promise<void> {
    if (!(await this.ready)) return;
    // A gap between offsets has two possible causes: the offsets have no records, or Kafka's retention has deleted
    // their records.
    const isGap = (batch.records[0]?.offset ?? batch.next) > this.expected;
    if (isGap && !(await this.fill())) return;
    this.expected = batch.next;
    await this.fold(batch);
  }

  close(): void {
    this.projector.close();
    this.window.close();
  }

  private async prepare(): Promise<boolean> {
    const { partition, projector, from } = this.options;
    const { beginning, position } = partition.assignment;
    if (projector.reached.known < beginning && !(await this.fill())) return false;
    // The offer has an effect only if `RunningGeneration` found a missing commit. The offset of events that were
    // read from the store is committed when their states are saved.
    if (from >= beginning) await partition.commits.offer(position);
    return true;
  }

  /** Folds the events that Kafka no longer has, from the store. Resolves false if the host stops before the end. */
  private async fill(): Promise<boolean> {
    const { partition, projector, history, place } = this.options;
    const consumer = {
      reached: () => projector.reached,
      fold: (batch: RecordBatch, beginning: number) => this.fold(batch, beginning),
    };
    try {
      await withAnySignal([partition.ended, partition.closing], (signal) =>
        history.fill(place, consumer, signal),
      );
      return true;
    } catch (error) {
      if (partition.closing.aborted && !partition.ended.aborted) return false;
      throw error;
    }
  }

  private async fold(batch: RecordBatch, beginning?: number): Promise<void> {
    const { partition, projector, checkpointer, from } = this.options;
    const done = await checkpointer.permit(partition.ended);
    try {
      partition.ended.throwIfAborted();
      this.count(await projector.take(batch, beginning));
      partition.ended.throwIfAborted();
      if (batch.next > from || beginning !== undefined) checkpointer.add(projector);
    } finally {
      done();
    }
  }

  private count({ processed, failed, duplicates }: FoldOutcomeCounts): void {
    const label = { projection: this.partition.name };
    if (processed > 0) projectionEvents.inc(label, processed);
    if (failed > 0) projectionFailed.inc(label, failed);
    if (duplicates > 0) projectionDuplicates.inc(label, duplicates);
  }
}
