import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicAndGroupNames } from '#event';
import { UnknownTopicError, type TopicAdmin, type TopicPartition } from '#kafka';
import type { KafkaOrClickHouseRetrier } from './retry.js';

interface MaterializedOffsetOptions {
  admin: Pick<TopicAdmin, 'committed'>;
  topics: Pick<TopicAndGroupNames, 'materializerGroup'>;
  retry: KafkaOrClickHouseRetrier;
  /** Milliseconds between two polls of the materializer's committed offset; default: 1000. */
  lookMs?: number | undefined;
}

/** Reads up to which offset the materializer has stored a partition: the committed offset of its group. */
export class MaterializedOffsetReader {
  constructor(private readonly options: MaterializedOffsetOptions) {}

  /**
   * Returns the offset below which the materializer has stored all records, or has decided not to; undefined when the
   * topic does not exist.
   * @throws the signal's reason
   */
  async of({ topic, partition }: TopicPartition, signal: AbortSignal): Promise<number | undefined> {
    const { admin, topics, retry } = this.options;
    try {
      const all = await retry.run('log', signal, () => admin.committed(topics.materializerGroup, topic));
      return all.get(partition) ?? 0;
    } catch (error) {
      if (error instanceof UnknownTopicError) return undefined;
      throw error;
    }
  }

  /**
   * Resolves true when the materializer has stored all records below offset `until`; false when the topic does not
   * exist.
   * @param waits Called before each further poll; false ends the wait, which then resolves false.
   * @throws the signal's reason
   */
  async reaches(
    position: TopicPartition & { until: number },
    signal: AbortSignal,
    waits: () => boolean = () => true,
  ): Promise<boolean> {
    for (;;) {
      const stored = await this.of(position, signal);
      if (stored === undefined) return false;
      if (stored >= position.until) return true;
      if (!waits()) return false;
      await sleep(this.options.lookMs ?? 1000, undefined, { signal });
    }
  }
}
