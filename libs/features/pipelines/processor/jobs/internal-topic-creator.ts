import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaOrClickHouseRetrier } from '#engine';
import type { TopicAndGroupNames } from '#event';
import { LogUnavailableError, type TopicAdmin } from '#kafka';
import type { KeyedStateReader } from '#store';
import { pipelineLimits, replayStage } from '#dataflow';
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

interface InternalTopicCreatorDependencies {
  admin: TopicAdmin;
  topics: TopicAndGroupNames;
  retry: KafkaOrClickHouseRetrier;
  reader: Pick<KeyedStateReader, 'progress'>;
  /** Milliseconds for which an internal topic may be missing before its records count as lost. */
  goneMs: number;
}

interface InternalTopicName {
  run: string;
  stage: string;
  topic: string;
}

/** Maximum bytes of a record in an internal topic, including its key and headers. */
const maxMessageBytes = pipelineLimits.recordBytes + 64 * 1024;

/** Creates the internal topics of a job: one topic for each keyed stage, and one topic for replays. */
export class InternalTopicCreator {
  constructor(private readonly parts: InternalTopicCreatorDependencies) {}

  /**
   * Resolves with the internal topics of these stages, by stage. A missing topic is created, unless the stage has read
   * the topic before.
   * @param partitions Number of partitions of a new topic. An existing topic keeps its number of partitions.
   * @throws JobNotResumableError when a topic that was read before no longer exists
   * @throws the signal's reason when it is aborted
   */
  async ensure(
    run: string,
    { stages, partitions }: { stages: readonly string[]; partitions: number },
    signal: AbortSignal,
  ): Promise<Map<string, StageTopic>> {
    const { topics } = this.parts;
    const ensured = stages.map(async (stage): Promise<[string, StageTopic]> => {
      const topic = topics.pipelineTopic(run, stage);
      return [stage, { topic, partitions: await this.ensureOne({ run, stage, topic }, partitions, signal) }];
    });
    return new Map(await Promise.all(ensured));
  }

  /**
   * Resolves with the name of the job's replay topic, through which dead letters are processed again. A missing replay
   * topic is created with one partition.
   * @throws JobNotResumableError when a replay topic that was read before no longer exists
   * @throws the signal's reason when it is aborted
   */
  async ensureReplay(run: string, signal: AbortSignal): Promise<string> {
    const topic = this.parts.topics.pipelineReplayTopic(run);
    await this.ensureOne({ run, stage: replayStage, topic }, 1, signal);
    return topic;
  }

  private async ensureOne(own: InternalTopicName, partitions: number, signal: AbortSignal): Promise<number> {
    const known = await this.known(own, signal);
    return known ?? (await this.parts.retry.run('log', signal, () => this.create(own, partitions)));
  }

  /** Resolves with the number of partitions of an existing topic; undefined if the topic must be created. */
  private async known(
    { run, stage, topic }: InternalTopicName,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { admin, retry, reader, goneMs } = this.parts;
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

  private async create({ topic, stage }: InternalTopicName, wanted: number): Promise<number> {
    const { admin } = this.parts;
    const partitions = Math.min(mostPartitions, Math.max(1, wanted));
    const kept = stage === replayStage ? replayRetentionMs : retentionMs;
    const config = { 'retention.ms': String(kept), 'max.message.bytes': String(maxMessageBytes) };
    await admin.create(topic, { partitions, config });
    const count = await admin.partitions(topic);
    if (count === undefined) throw new LogUnavailableError(`the topic ${topic} does not exist yet`);
    return count;
  }
}
