import {
  PartitionErasureLookup,
  warmUpStart,
  type OwnedPartition,
  type KafkaOrClickHouseRetrier,
  type TaskFactory,
} from '#engine';
import { streamNameOf } from '#event';
import type { StatePartitionKey, PartitionCheckpoint, KeyedStateStore } from '#store';
import type { Tracing } from '#telemetry';
import { initialProgress, type PartitionTaskDependencies } from '#processor-kit';
import type { DesiredGeneration } from './desired-generations.js';
import type { SharedKeyStateCache } from './shared-key-state-cache.js';
import { PartitionProjector } from './partition-projector.js';
import { ProjectionTask } from './projection-task.js';
import type { ProjectionCheckpointer } from './save-states.js';
import type { BackfillFromStore } from './backfill-from-store.js';

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
  /** Called when a generation cannot continue. The caller should end the process. */
  onFailure(error: unknown): void;
}

/** Creates the tasks that fold the assigned partitions of one generation. */
export class ProjectionTaskFactory implements TaskFactory<ProjectionTask> {
  constructor(
    private readonly generation: Pick<DesiredGeneration, 'name' | 'compiled'>,
    private readonly parts: ProjectionDependencies,
  ) {}

  async open(partition: OwnedPartition): Promise<ProjectionTask> {
    const { idWindows, erasures, keys, retry, tracing, writer, now } = this.parts;
    const { name, compiled } = this.generation;
    const { topic, assignment, ended } = partition;
    const { position, beginning } = assignment;
    const id = this.parts.topics.streamOf(topic);
    const stream = streamNameOf(id ?? topic);
    const place = { owner: compiled.build.id, stage: '', stream, partition: partition.partition };
    const { saved, from } = await this.begin(place, partition);
    const warmUp = await this.warmUpStart(partition, from);
    if (from < beginning) partition.commitFrom(from);
    // The previous owner of the partition died between saving its last checkpoint and committing the offset.
    else if (saved && from === position && partition.oldest === undefined) partition.commitFrom(position - 1);
    const window = idWindows.open({
      topic,
      partition: partition.partition,
      beginning,
      readsStore: true,
      position: Math.min(from, position),
      warmUpStart: warmUp,
    });
    const source = compiled.build.sources[stream]!;
    const projector = new PartitionProjector({
      ...{ name, compiled, place, partition, from, window, progress: saved },
      traced: tracing !== undefined,
      // The progress of a partition is saved before its first state. Without saved progress, the store therefore has
      // no states of the partition.
      keys: keys.open({ complete: saved === undefined }),
      erasures: new PartitionErasureLookup(erasures, { stream: source.id, partition: partition.partition }),
      load: (missing) => retry.run('store', ended, () => writer.load(place, missing)),
      now: () => now() * 1000,
    });
    const own = { name, topic, stream: id ?? topic, partition: partition.partition };
    return new ProjectionTask({ ...this.parts, partition, window, from, projector, place: own });
  }

  /**
   * Resolves with the stored progress of the partition, and the offset from which events are folded into states. The
   * stored progress decides where folding starts, and not the committed offset, because Kafka deletes committed offsets
   * after a week without members of the group, and the store may have been lost.
   */
  private async begin(
    place: StatePartitionKey,
    { ended }: OwnedPartition,
  ): Promise<{ saved: PartitionCheckpoint | undefined; from: number }> {
    const { retry, writer, now } = this.parts;
    const saved = await retry.run('store', ended, () => writer.progressOf(place));
    const first = this.generation.compiled.build.sources[place.stream]?.starts?.[place.partition] ?? 0;
    const from = Math.max(saved?.next ?? 0, first);
    const begun = { ...place, ...initialProgress, next: from, updated_at: now() * 1000 };
    if (!saved) await retry.run('store', ended, () => writer.save([], [begun]));
    return { saved, from };
  }

  /** Resolves with the offset from which an id window must read the log to decide from `from` on. */
  private async warmUpStart({ assignment, ended }: OwnedPartition, from: number): Promise<number> {
    const { retry, idWindows, now } = this.parts;
    const { position, beginning } = assignment;
    const { bounds } = idWindows;
    if (from < position) return Math.max(beginning, from - bounds.records);
    return await retry.run('log', ended, () => warmUpStart(assignment, bounds, now()));
  }
}
