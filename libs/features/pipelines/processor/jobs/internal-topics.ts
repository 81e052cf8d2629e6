import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaOrClickHouseRetrier } from '#engine';
import type { TopicAndGroupNames } from '#event';
import { LogUnavailableError, type TopicAdmin } from '#kafka';
import type { KeyedStateReader } from '#store';
import { pipelineLimits, replayStage } from '#features/pipelines/computation';
import { missingTopicError } from '../stages/job-not-resumable.js';
import type { StageTopic } from '../output/output-buffer.js';

/**
 * Maximum number of partitions of a stage's internal topic. Up to this limit, the internal topic has as many partitions
 * as the largest source.
 */
const mostPartitions = 64;
const day = 24 * 3_600_000;
/**
 * Retention of a stage's internal topic in milliseconds. If the stage does not read a record within this time, the
 * record is lost, and the job must be reset.
 */
const retentionMs = 7 * day;
/**
 * Retention of a replay topic in milliseconds. The retention is long because replays wait while the pipeline is paused,
 * and because the topic has little data.
 */
const replayRetentionMs = 90 * day;
/** Milliseconds between two checks whether a missing topic exists. */
const pollMs = 500;

/** Maximum bytes of a record in an internal topic, including its key and headers. */
const maxMessageBytes = pipelineLimits.recordBytes + 64 * 1024;

interface InternalTopicDependencies {
  admin: TopicAdmin;
  topics: TopicAndGroupNames;
  retry: KafkaOrClickHouseRetrier;
  reader: Pick<KeyedStateReader, 'progress'>;
  /** Milliseconds for which an internal topic may be missing before its records count as lost. */
  goneMs: number;
  /** Aborted when the job stops. */
  signal: AbortSignal;
}

interface InternalTopicName {
  run: string;
  stage: string;
  topic: string;
}

/** The internal topics of a job: those of its keyed stages, by stage id, and the name of its replay topic. */
interface InternalTopics {
  ofStages: Map<string, StageTopic>;
  replay: string;
}

/**
 * Resolves with the internal topics of a job: one topic for each keyed stage, and the replay topic, through which dead
 * letters are processed again. A missing topic is created, unless the job has read the topic before.
 * @param job `partitions`: number of partitions of a new topic of a stage. An existing topic keeps its number of
 *   partitions.
 * @throws NotResumableError when a topic that was read before no longer exists
 * @throws the signal's reason when it is aborted
 */
export async function ensureInternalTopics(
  { run, stages, partitions }: { run: string; stages: readonly string[]; partitions: number },
  dependencies: InternalTopicDependencies,
): Promise<InternalTopics> {
  const { topics } = dependencies;
  const ofStages = stages.map(async (stage): Promise<[string, StageTopic]> => {
    const topic = topics.pipelineTopic(run, stage);
    return [stage, { topic, partitions: await ensure({ run, stage, topic }, partitions, dependencies) }];
  });
  const replay = topics.pipelineReplayTopic(run);
  const [found] = await Promise.all([
    Promise.all(ofStages),
    ensure({ run, stage: replayStage, topic: replay }, 1, dependencies),
  ]);
  return { ofStages: new Map(found), replay };
}

/** Resolves with the number of partitions of a topic, which is created if it is new. */
async function ensure(
  own: InternalTopicName,
  partitions: number,
  dependencies: InternalTopicDependencies,
): Promise<number> {
  const { admin, retry, signal } = dependencies;
  const known = await existing(own, dependencies);
  return known ?? (await retry.run('log', signal, () => create(own, partitions, admin)));
}

/** Resolves with the number of partitions of an existing topic; undefined if the topic must be created. */
async function existing(
  { run, stage, topic }: InternalTopicName,
  { admin, retry, reader, goneMs, signal }: InternalTopicDependencies,
): Promise<number | undefined> {
  const look = () => retry.run('log', signal, () => admin.partitions(topic));
  const found = await look();
  if (found !== undefined) return found;
  const progress = await retry.run('store', signal, () => reader.progress([run]));
  if (!progress.some((one) => one.stage === stage)) return undefined;
  // Another processor may have created the topic a moment ago, so a missing topic is looked up again.
  for (const until = performance.now() + goneMs; performance.now() < until;) {
    await sleep(Math.min(pollMs, goneMs), undefined, { signal });
    const again = await look();
    if (again !== undefined) return again;
  }
  throw missingTopicError(topic);
}

async function create(
  { topic, stage }: InternalTopicName,
  desired: number,
  admin: TopicAdmin,
): Promise<number> {
  const partitions = Math.min(mostPartitions, Math.max(1, desired));
  const retention = stage === replayStage ? replayRetentionMs : retentionMs;
  const config = { 'retention.ms': String(retention), 'max.message.bytes': String(maxMessageBytes) };
  await admin.create(topic, { partitions, config });
  const count = await admin.partitions(topic);
  if (count === undefined) throw new LogUnavailableError(`the topic ${topic} does not exist yet`);
  return count;
}
