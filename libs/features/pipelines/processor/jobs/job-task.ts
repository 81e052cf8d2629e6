import { withWriteTrace, type OwnedPartition, type PartitionTask } from '#engine';
import type { RecordBatch } from '#kafka';
import type { JobConfiguration } from '../stages/job-configuration.js';
import type { JobPartitionState } from '../state/job-partition-state.js';
import type { JobDependencies } from './job-dependencies.js';
import { jobSpans } from './job-spans.js';
import type { StageBatchResult, StageTask } from '../stages/stage-task.js';
import {
  pipelineProcessed,
  pipelineEmitted,
  pipelineDropped,
  pipelineLate,
  pipelineFailed,
  pipelineDuplicates,
} from './pipeline-metrics.js';

interface JobTaskOptions {
  partition: OwnedPartition;
  /** The task that processes the records of the partition. */
  task: StageTask;
  start: number;
  from: number;
  /**
   * The id window of a source partition or of the replay partition; undefined for an internal topic, whose records have
   * no event ids.
   */
  window?: PartitionTask['window'];
  readonly current: () => JobConfiguration;
  parts: Pick<JobDependencies, 'checkpointer' | 'pace' | 'tracing' | 'stepMetrics'>;
}

/** Processes one assigned partition of a job, updates the metrics, and schedules the checkpoints of the partition. */
export class JobTask implements PartitionTask {
  private savedAt = 0;

  constructor(private readonly options: JobTaskOptions) {}

  get partition(): OwnedPartition {
    return this.options.partition;
  }

  get start(): number {
    return this.options.start;
  }

  get from(): number {
    return this.options.from;
  }

  get window(): PartitionTask['window'] {
    return this.options.window;
  }

  get state(): JobPartitionState {
    return this.options.task.state;
  }

  async take(batch: RecordBatch): Promise<void> {
    const { task, partition, current, parts } = this.options;
    const { state } = task;
    const spans = jobSpans(parts.tracing, { name: state.name, records: batch.records, from: state.next });
    const taken = await withWriteTrace(spans, () => task.take(batch));
    partition.ended.throwIfAborted();
    count(state.name, taken);
    parts.stepMetrics.count(state.name, current().pipeline.steps, taken.counts.steps);
    if (batch.next <= this.from) return;
    const isQuiet = !taken.changed && state.unsavedCount === 0;
    // A partition resumes from the saved progress in the store, so a committed offset above the saved progress does no
    // harm.
    if (isQuiet && performance.now() - this.savedAt < parts.pace.quietSaveMs)
      return partition.commit(state.next);
    this.savedAt = performance.now();
    parts.checkpointer.add(state);
  }

  /** Broadcasts the watermark of the partition; see `StageTask`. */
  async tell(): Promise<void> {
    await this.options.task.tell();
  }

  close(): void {
    this.options.task.close();
  }
}

function count(pipeline: string, { counts, duplicates }: StageBatchResult): void {
  pipelineProcessed.inc({ pipeline }, counts.processed);
  pipelineEmitted.inc({ pipeline }, counts.emitted);
  pipelineDropped.inc({ pipeline }, counts.dropped);
  pipelineLate.inc({ pipeline }, counts.late);
  pipelineFailed.inc({ pipeline }, counts.failed);
  pipelineDuplicates.inc({ pipeline }, duplicates);
}
