import type { TopicAndGroupNames } from '#event';
import { UnknownTopicError, type ProducerRecord, type RecordPosition, type Producer } from '#kafka';
import { missingTopicError } from '../stages/job-not-resumable.js';

interface InternalTopicProducerDependencies {
  producer: Pick<Producer, 'append'>;
  topics: TopicAndGroupNames;
  /**
   * Milliseconds for which an internal topic may be missing before its records count as lost: some brokers learn of a
   * new topic late.
   */
  goneMs: number;
}

/** Maximum number of missing topics that are remembered. */
const mostMissing = 10_000;

/**
 * A producer for the topics of streams and the internal topics of jobs. An internal topic is created only once. If an
 * internal topic has been missing for longer than `goneMs`, its records are lost: then `append` throws, and does not
 * create a new, empty topic.
 */
export class JobProducer implements Pick<Producer, 'append'> {
  /**
   * Time at which an append first failed because the topic is missing, by topic, in milliseconds of
   * `performance.now()`.
   */
  private readonly missingSince = new Map<string, number>();

  constructor(private readonly dependencies: InternalTopicProducerDependencies) {}

  /**
   * Appends records as `Producer.append` does.
   * @throws NotResumableError when an internal topic has been missing for `goneMs`
   */
  async append(records: readonly ProducerRecord[]): Promise<RecordPosition[]> {
    const { producer, topics } = this.dependencies;
    try {
      const positions = await producer.append(records);
      if (this.missingSince.size > 0) for (const { topic } of records) this.missingSince.delete(topic);
      return positions;
    } catch (error) {
      if (error instanceof UnknownTopicError && topics.pipelineJobOf(error.topic) !== undefined)
        this.isMissing(error.topic);
      throw error;
    }
  }

  private isMissing(topic: string): void {
    const now = performance.now();
    const since = this.missingSince.get(topic) ?? now;
    if (now - since >= this.dependencies.goneMs) throw missingTopicError(topic);
    if (this.missingSince.size >= mostMissing) this.missingSince.clear();
    this.missingSince.set(topic, since);
  }
}
