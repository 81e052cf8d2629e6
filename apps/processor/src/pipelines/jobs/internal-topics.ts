import { setTimeout as sleep } from 'node:timers/promises';
import type { Retry } from '#engine';
import type { TopicNames } from '#event';
import { LogUnavailableError, type TopicAdmin } from '#log';
import type { KeyedStateReader } from '#store';
import { pipelineLimits } from '#dataflow';
import { replayStage } from '../stages/current-job.js';
import { goneTopic } from '../stages/checkpoint-lost.js';
import type { StageTopic } from '../output/output-buffer.js';

/** Partitions of a stage's topic: as many as the source with the most, up to so many. */
const mostPartitions = 64;
/** What a stage has not read for so long is gone: then the job has to be reset. */
const day = 24 * 3_600_000;
const retentionMs = 7 * day;
/** Replays wait while the pipeline is paused, and what they hold is little. */
const replayRetentionMs = 90 * day;
/** Between two looks for a topic that should be there. */
const lookMs = 500;

export interface InternalTopicsParts {
  admin: TopicAdmin;
  topics: TopicNames;
  retry: Retry;
  reader: Pick<KeyedStateReader, 'progress'>;
  /** Milliseconds that a topic may seem to be missing. */
  goneMs: number;
}

interface OwnTopic {
  run: string;
  stage: string;
  topic: string;
}

/** A record with its key and headers. */
const maxMessageBytes = pipelineLimits.recordBytes + 64 * 1024;

/** Makes the topics of a job. */
export class InternalTopics {
  constructor(private readonly parts: InternalTopicsParts) {}

  /**
   * The topics of these stages, by stage; those that are missing are created, unless they have been read before.
   * @param partitions of a new one, about: it keeps what it has
   * @throws CheckpointLostError when one is gone
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
   * The topic through which dead letters of the job come again; of one partition.
   * @throws CheckpointLostError when it is gone @throws the signal's reason when it is aborted
   */
  async ensureReplay(run: string, signal: AbortSignal): Promise<string> {
    const topic = this.parts.topics.pipelineReplayTopic(run);
    await this.ensureOne({ run, stage: replayStage, topic }, 1, signal);
    return topic;
  }

  private async ensureOne(own: OwnTopic, partitions: number, signal: AbortSignal): Promise<number> {
    const known = await this.known(own, signal);
    return known ?? (await this.parts.retry.run('log', signal, () => this.create(own, partitions)));
  }

  /** The partitions of a topic that is there; undefined for one that is to be made. */
  private async known({ run, stage, topic }: OwnTopic, signal: AbortSignal): Promise<number | undefined> {
    const { admin, retry, reader, goneMs } = this.parts;
    const look = () => retry.run('log', signal, () => admin.partitions(topic));
    const found = await look();
    if (found !== undefined) return found;
    const progress = await retry.run('store', signal, () => reader.progress([run]));
    if (!progress.some((one) => one.stage === stage)) return undefined;
    // Another processor may have made it just now.
    for (const until = performance.now() + goneMs; performance.now() < until;) {
      await sleep(Math.min(lookMs, goneMs), undefined, { signal });
      const again = await look();
      if (again !== undefined) return again;
    }
    throw goneTopic(topic);
  }

  private async create({ topic, stage }: OwnTopic, wanted: number): Promise<number> {
    const { admin } = this.parts;
    const partitions = Math.min(mostPartitions, Math.max(1, wanted));
    const kept = stage === replayStage ? replayRetentionMs : retentionMs;
    const config = { 'retention.ms': String(kept), 'max.message.bytes': String(maxMessageBytes) };
    await admin.create(topic, { partitions, config });
    const count = await admin.partitions(topic);
    if (count === undefined) throw new LogUnavailableError(`the topic ${topic} is not there yet`);
    return count;
  }
}
