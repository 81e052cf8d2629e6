import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicAndGroupNames } from '#event';
import { UnknownTopicError, type TopicAdmin } from '#log';
import type { EngineRetry } from './retry.js';

export interface MaterializedOffsetOptions {
  admin: Pick<TopicAdmin, 'committed'>;
  topics: Pick<TopicAndGroupNames, 'materializerGroup'>;
  retry: EngineRetry;
  /** Milliseconds between two polls. */
  lookMs?: number | undefined;
}

/** A partition of a stream's topic. */
export interface StreamPartition {
  topic: string;
  partition: number;
}

/** Reads how far the materializer has stored a partition, from its committed offsets. */
export class MaterializedOffsets {
  constructor(private readonly options: MaterializedOffsetOptions) {}

  /**
   * Returns the offset below which all records are stored or will never be; undefined when the topic does not exist.
   * @throws the signal's reason
   */
  async of({ topic, partition }: StreamPartition, signal: AbortSignal): Promise<number | undefined> {
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
   * Resolves true when all records below `until` are stored; false when the topic does not exist.
   * @param waits Called before each further poll; false ends the wait, which then resolves false.
   * @throws the signal's reason
   */
  async reaches(
    place: StreamPartition & { until: number },
    signal: AbortSignal,
    waits: () => boolean = () => true,
  ): Promise<boolean> {
    for (;;) {
      const stored = await this.of(place, signal);
      if (stored === undefined) return false;
      if (stored >= place.until) return true;
      if (!waits()) return false;
      await sleep(this.options.lookMs ?? 1000, undefined, { signal });
    }
  }
}
