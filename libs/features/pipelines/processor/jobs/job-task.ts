import {
  sampledRequests,
  withWriteTrace,
  type OwnedPartition,
  type PartitionTask,
  type StoreWriteSpanOptions,
} from '#engine';
import type { RecordBatch } from '#kafka';
import type { Tracing } from '#telemetry';
import type { JobConfiguration } from '../stages/job-configuration.js';
import type { JobDependencies } from './job-dependencies.js';
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
  dependencies: Pick<JobDependencies, 'checkpointer' | 'pace' | 'tracing' | 'stepMetrics'>;
}

/** Processes one assigned partition of a job, updates the metrics, and schedules the checkpoints of the partition. */
export class JobTask implements PartitionTask {
  readonly partition = this.options.partition;
  readonly start = this.options.start;
  readonly from = this.options.from;
  readonly window = this.options.window;
  readonly state = this.options.task.state;
  private savedAt = 0;

  constructor(private readonly options: JobTaskOptions) {}

  async take(batch: RecordBatch): Promise<void> {
    const { task, current, dependencies } = this.options;
    const { state, partition } = this;
    const spans = spansOf(dependencies.tracing, state, batch);
    const taken = await withWriteTrace(spans, () => task.take(batch));
    partition.ended.throwIfAborted();
    count(state.name, taken);
    dependencies.stepMetrics.count(state.name, current().pipeline.steps, taken.counts.steps);
    if (batch.next <= this.from) return;
    const isQuiet = !taken.changed && state.unsavedCount === 0;
    // A partition resumes from the saved progress in the store, so a committed offset above the saved progress does no
    // harm.
    if (isQuiet && performance.now() - this.savedAt < dependencies.pace.quietSaveMs)
      return partition.commit(state.next);
    this.savedAt = performance.now();
    dependencies.checkpointer.add(state);
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

/**
 * Describes the trace spans of one batch of a job. Returns undefined if tracing is off or no record of the batch
 * belongs to a traced request.
 */
function spansOf(
  tracing: Tracing | undefined,
  { name, next }: Pick<StageTask['state'], 'name' | 'next'>,
  { records }: RecordBatch,
): StoreWriteSpanOptions | undefined {
  if (!tracing) return undefined;
  const requests = sampledRequests(records, next);
  if (requests.length === 0) return undefined;
  return {
    tracing,
    name: `run ${name}`,
    kind: 'internal',
    attributes: { 'messaging.batch.message_count': records.length },
    followed: requests.map((request) => ({ name: `pipeline ${name}`, operation: 'pipeline', request })),
  };
}
