import { setTimeout as sleep } from 'node:timers/promises';
import type { Retry } from '#consuming';
import type { TopicNames } from '#contracts';
import { LogUnavailableError, type TopicAdmin } from '#log';
import type { PipelineReader } from '#store';
import { goneTopic } from './lost-place.js';
import type { StageTopic } from './outgoing.js';

/** Partitions of a stage's topic: as many as the source with the most, up to so many. */
const mostPartitions = 64;
/** What a stage has not read for so long is gone: then the run has to be reset. */
const retentionMs = 7 * 24 * 3_600_000;
/** Between two looks for a topic that should be there. */
const lookMs = 500;

export interface InternalTopicsParts {
  admin: TopicAdmin;
  topics: TopicNames;
  retry: Retry;
  reader: Pick<PipelineReader, 'progress'>;
  /** Milliseconds that a topic may seem to be missing. */
  goneMs: number;
}

/** Makes the topics of a run's stages. */
export class InternalTopics {
  constructor(private readonly parts: InternalTopicsParts) {}

  /**
   * The topics of these stages, by stage; those that are missing are created, unless they have been read before.
   * @param partitions of a new one, about: it keeps what it has
   * @throws LostPlaceError when one is gone
   * @throws the signal's reason when it is aborted
   */
  async ensure(
    run: string,
    { stages, partitions }: { stages: readonly string[]; partitions: number },
    signal: AbortSignal,
  ): Promise<Map<string, StageTopic>> {
    const { topics, retry } = this.parts;
    const found = new Map<string, StageTopic>();
    for (const stage of stages) {
      const topic = topics.pipelineTopic(run, stage);
      const known = await this.known({ run, stage, topic }, signal);
      const count = known ?? (await retry.run('log', signal, () => this.create(topic, partitions)));
      found.set(stage, { topic, partitions: count });
    }
    return found;
  }

  /** The partitions of a topic that is there; undefined for one that is to be made. */
  private async known(
    { run, stage, topic }: { run: string; stage: string; topic: string },
    signal: AbortSignal,
  ): Promise<number | undefined> {
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

  private async create(topic: string, wanted: number): Promise<number> {
    const { admin } = this.parts;
    const partitions = Math.min(mostPartitions, Math.max(1, wanted));
    await admin.create(topic, { partitions, config: { 'retention.ms': String(retentionMs) } });
    const count = await admin.partitions(topic);
    if (count === undefined) throw new LogUnavailableError(`the topic ${topic} is not there yet`);
    return count;
  }
}
