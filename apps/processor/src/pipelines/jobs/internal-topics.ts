import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineRetry } from '#engine';
import type { TopicAndGroupNames } from '#event';
import { LogUnavailableError, type TopicAdmin } from '#log';
import type { KeyedStateReader } from '#store';
import { pipelineLimits, replayStage } from '#dataflow';
import { missingTopicError } from '../stages/checkpoint-lost.js';
import type { StageTopic } from '../output/output-buffer.js';

/** Greatest number of partitions of a stage's topic. Up to this bound, it has as many as the largest source. */
const mostPartitions = 64;
const day = 24 * 3_600_000;
/**
 * Retention of a stage's topic. If the stage has not read a record within this time, the record is lost, and the job
 * must be reset.
 */
const retentionMs = 7 * day;
/**
 * Retention of a replay topic. It is long because replays wait while the pipeline is paused, and it has little data.
 */
const replayRetentionMs = 90 * day;
/** Milliseconds between two polls for a topic that should exist. */
const pollMs = 500;

export interface InternalTopicsDependencies {
  admin: TopicAdmin;
  topics: TopicAndGroupNames;
  retry: EngineRetry;
  reader: Pick<KeyedStateReader, 'progress'>;
  /** Milliseconds for which a topic may be missing before its records count as lost. */
  goneMs: number;
}

interface InternalTopicName {
  run: string;
  stage: string;
  topic: string;
}

/** Greatest size of a record with its key and headers. */
const maxMessageBytes = pipelineLimits.recordBytes + 64 * 1024;

/** Creates the internal topics of a job: one for each stage, and one for replays. */
export class InternalTopics {
  constructor(private readonly parts: InternalTopicsDependencies) {}

  /**
   * Resolves with the topics of these stages, by stage. Creates a missing topic, unless the stage has read it before.
   * @param partitions Wanted number of partitions of a new topic. An existing topic keeps its number.
   * @throws CheckpointLostError when a topic that was read before no longer exists
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
   * Resolves with the name of the job's replay topic, through which its dead letters are processed again. Creates it
   * with one partition if it is missing.
   * @throws CheckpointLostError when a replay topic that was read before no longer exists
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

  /** Resolves with the number of partitions of an existing topic, or undefined if the topic must be created. */
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
    // Another processor may have created the topic just now.
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
