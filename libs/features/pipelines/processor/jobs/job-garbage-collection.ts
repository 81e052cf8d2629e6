import { GarbageCollection, type GarbageCollectionOptions } from '#engine';
import type { TopicAndGroupNames } from '#event';
import type { Definitions } from '#registry';
import { isRetriableLogError, type TopicAdmin } from '#kafka';
import {
  isRetryableStoreError,
  type ClosedStateRowsFilter,
  type KeyedStateReader,
  type KeyedStateStore,
} from '#store';
import { compilePipeline, deliveryStage, replayStage } from '#features/pipelines/computation';
import { DefinitionError } from '#dataflow';
import type { JobPartitionState } from '../state/job-partition-state.js';

interface JobGarbageCollectionOptions extends Pick<
  GarbageCollectionOptions<UnreferencedJob>,
  'logger' | 'onFailure' | 'intervalMs' | 'patienceMs' | 'now'
> {
  definitions: Pick<Definitions, 'pipelines' | 'ageMs'>;
  writer: Pick<KeyedStateStore, 'owners' | 'remove' | 'removeStages' | 'removeClosed'> &
    Pick<KeyedStateReader, 'progress'>;
  admin: Pick<TopicAdmin, 'list' | 'remove' | 'removeGroup'>;
  topics: TopicAndGroupNames;
  /** Returns the partitions of jobs that are assigned to this process. */
  readonly partitions: () => Iterable<JobPartitionState>;
}

/**
 * A job, or a stage of a job, that no definition refers to and that still has topics, a consumer group or stored rows.
 */
export interface UnreferencedJob {
  run: string;
  stage?: string;
}

/** The ids of a job's stages that some definition refers to, for membership tests only. */
type StageIds = Pick<ReadonlySet<string>, 'has'>;

/**
 * Returns the garbage collection of jobs, which removes the consumer groups, internal topics and stored rows of jobs and
 * stages that no definition has referred to for some time, and the stored rows of closed windows.
 */
export function collectJobs(options: JobGarbageCollectionOptions): GarbageCollection<UnreferencedJob> {
  const removedTo = new Map<string, number>();
  return new GarbageCollection({
    ...options,
    unnamed: () => unreferencedJobs(options),
    remove: (job) => removeJob(job, options),
    tidy: () => removeClosed(removedTo, options),
    mayReturn: (error) => isRetryableStoreError(error) || isRetriableLogError(error),
  });
}

async function unreferencedJobs(options: JobGarbageCollectionOptions): Promise<Map<string, UnreferencedJob>> {
  const { writer, admin, topics } = options;
  const referenced = referencedStages(options);
  const found = new Map<string, UnreferencedJob>();
  const note = (run: string, stage: string): void => {
    const stages = referenced.get(run);
    if (!stages) found.set(run, { run });
    else if (stage !== '' && !stages.has(stage)) found.set(`${run}.${stage}`, { run, stage });
  };
  for (const topic of await admin.list(topics.prefix)) {
    const run = topics.pipelineJobOf(topic);
    if (run !== undefined) note(run, stageOf(topic));
  }
  const runs = await writer.owners();
  for (const run of runs) note(run, '');
  const known = runs.filter((run) => referenced.has(run));
  for (const { owner, stage } of await writer.progress(known)) note(owner, stage);
  return found;
}

/** Returns the stage ids of each defined job, by job id, including those of replays and deliveries. */
function referencedStages({ definitions }: JobGarbageCollectionOptions): Map<string, StageIds> {
  const stages = new Map<string, StageIds>();
  for (const { run, spec } of definitions.pipelines.all())
    try {
      const keyed = compilePipeline(spec).stages.map(({ id }) => id);
      stages.set(run.id, new Set([...keyed, replayStage, deliveryStage]));
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error;
      stages.set(run.id, everyStage);
    }
  return stages;
}

/**
 * Removes a whole job, or one stage of a job: first the internal topics, then the stored rows. Before the topics, the
 * consumer group of a job is removed, so that no process reads the topics any more. Resolves false if the consumer
 * group still has members.
 */
async function removeJob(
  { run, stage }: UnreferencedJob,
  options: JobGarbageCollectionOptions,
): Promise<boolean> {
  const { admin, topics, writer, logger } = options;
  // A processor that has not read the new definition is still a member of the consumer group. A later round tries
  // again.
  if (stage === undefined && !(await isWithoutGroup(run, options))) return false;
  const all = (await admin.list(topics.prefix)).filter((topic) => topics.pipelineJobOf(topic) === run);
  for (const topic of all) if (stage === undefined || stageOf(topic) === stage) await admin.remove(topic);
  if (stage === undefined) await writer.remove(run);
  else await writer.removeStages(run, [stage]);
  logger.info({ run, stage }, 'removed a job or stage that no pipeline refers to');
  return true;
}

/**
 * Removes the consumer group of a job. Resolves false if the group still has members. If Kafka's access control
 * forbids this process to remove the group, Kafka itself removes the group a week after the last member has left.
 */
async function isWithoutGroup(
  run: string,
  { admin, topics, logger }: JobGarbageCollectionOptions,
): Promise<boolean> {
  const group = topics.pipelineGroup(run);
  try {
    return await admin.removeGroup(group);
  } catch (error) {
    if (isRetriableLogError(error)) throw error;
    logger.warn({ group, reason: (error as Error).message }, 'a consumer group cannot be removed');
    return true;
  }
}

/**
 * Removes the stored rows of windows that have closed.
 * @param removedTo The watermarks up to which rows were removed in the last round, by partition.
 */
async function removeClosed(
  removedTo: Map<string, number>,
  { partitions, writer }: JobGarbageCollectionOptions,
): Promise<void> {
  const closed = new Map<string, ClosedStateRowsFilter[]>();
  const seen = new Map<string, number>();
  for (const { place, savedWatermark } of partitions()) {
    const { owner, stage, partition } = place;
    if (stage === '' || stage === replayStage) continue;
    const stagePartition = `${owner}.${stage}.${partition}`;
    seen.set(stagePartition, savedWatermark);
    if (removedTo.get(stagePartition) === savedWatermark) continue;
    closed.set(owner, [...(closed.get(owner) ?? []), { stage, partition, until: savedWatermark }]);
  }
  for (const [run, rows] of closed) await writer.removeClosed(run, rows);
  removedTo.clear();
  for (const [stagePartition, watermark] of seen) removedTo.set(stagePartition, watermark);
}

/**
 * A set that contains every stage id. The set stands for a definition that this version cannot compile, so that no
 * stage of the job is removed.
 */
const everyStage: StageIds = { has: () => true };

function stageOf(topic: string): string {
  return topic.slice(topic.lastIndexOf('.') + 1);
}
