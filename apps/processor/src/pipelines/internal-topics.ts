import type { Retry } from '#consuming';
import { limits, type TopicNames } from '#contracts';
import { LogUnavailableError, type TopicAdmin } from '#log';
import type { StageTopic } from './outgoing.js';

/** Partitions of a stage's topic: as many as the source with the most, up to so many. */
const mostPartitions = 64;
/** What a stage has not read for so long is gone: then the run has to be reset. */
const retentionMs = 7 * 24 * 3_600_000;

/** A record holds an event whose `data` is a text in JSON again: that takes room. */
const maxMessageBytes = 8 * limits.eventBytes;

/** Makes the topics of a run. */
export class InternalTopics {
  constructor(private readonly parts: { admin: TopicAdmin; topics: TopicNames; retry: Retry }) {}

  /**
   * The topics of these stages, by stage; those that are missing are created.
   * @param partitions of a new one, about: it keeps what it has
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
      const count = await retry.run('log', signal, () => this.ensureOne(topic, partitions));
      found.set(stage, { topic, partitions: count });
    }
    return found;
  }

  /** The topic through which dead letters of the run come again; of one partition. @throws the signal's reason when it is aborted */
  async ensureReplay(run: string, signal: AbortSignal): Promise<string> {
    const { topics, retry } = this.parts;
    const topic = topics.pipelineReplayTopic(run);
    await retry.run('log', signal, () => this.ensureOne(topic, 1));
    return topic;
  }

  private async ensureOne(topic: string, wanted: number): Promise<number> {
    const { admin } = this.parts;
    const known = await admin.partitions(topic);
    if (known !== undefined) return known;
    const partitions = Math.min(mostPartitions, Math.max(1, wanted));
    const config = { 'retention.ms': String(retentionMs), 'max.message.bytes': String(maxMessageBytes) };
    await admin.create(topic, { partitions, config });
    const count = await admin.partitions(topic);
    if (count === undefined) throw new LogUnavailableError(`the topic ${topic} is not there yet`);
    return count;
  }
}
