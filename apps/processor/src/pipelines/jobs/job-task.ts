import { inStoreSpans, type OwnedPartition, type PartitionTask } from '#engine';
import type { RecordBatch } from '#log';
import type { IdWindow } from '#dataflow';
import { metrics } from '#telemetry';
import type { Counts } from '../output/counts.js';
import type { PartitionState } from '../state/partition-state.js';
import type { JobParts } from './job-parts.js';
import { jobSpans } from './job-spans.js';
import type { Task } from '../stages/task.js';

export interface JobTaskOptions {
  partition: OwnedPartition;
  /** What is done with its records. */
  task: Task;
  start: number;
  from: number;
  /** Of a partition whose records have ids of their own. */
  window?: IdWindow | undefined;
  parts: Pick<JobParts, 'checkpointer' | 'pace' | 'tracing'>;
}

/** Works through one partition of a job, counts what came of it, and has it saved. */
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

  get window(): IdWindow | undefined {
    return this.options.window;
  }

  get state(): PartitionState {
    return this.options.task.state;
  }

  async take(batch: RecordBatch): Promise<void> {
    const { task, partition, parts } = this.options;
    const { state } = task;
    const spans = jobSpans(parts.tracing, { name: state.name, records: batch.records, from: state.next });
    const taken = await inStoreSpans(spans, () => task.take(batch));
    partition.ended.throwIfAborted();
    count(state.name, taken);
    if (batch.next <= this.from) return;
    const isQuiet = !taken.changed && state.unsavedCount === 0;
    // What is saved says where the partition goes on; that the group stands further changes nothing.
    if (isQuiet && performance.now() - this.savedAt < parts.pace.quietSaveMs)
      return partition.commit(state.next);
    this.savedAt = performance.now();
    parts.checkpointer.add(state);
  }

  /** See Task. */
  async tell(): Promise<void> {
    await this.options.task.tell();
  }

  close(): void {
    this.options.task.close();
  }
}

function count(
  pipeline: string,
  { counts, duplicates }: { counts: Readonly<Counts>; duplicates: number },
): void {
  metrics.pipelineProcessed.inc({ pipeline }, counts.processed);
  metrics.pipelineEmitted.inc({ pipeline }, counts.emitted);
  metrics.pipelineDropped.inc({ pipeline }, counts.dropped);
  metrics.pipelineLate.inc({ pipeline }, counts.late);
  metrics.pipelineFailed.inc({ pipeline }, counts.failed);
  metrics.pipelineDuplicates.inc({ pipeline }, duplicates);
}
