import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicNames } from '#event';
import { UnknownTopicError, type TopicAdmin } from '#log';
import type { Retry } from './retry.js';

export interface MaterializedOffsetOptions {
  admin: Pick<TopicAdmin, 'committed'>;
  topics: Pick<TopicNames, 'materializerGroup'>;
  retry: Retry;
  /** Milliseconds between two looks. */
  lookMs?: number | undefined;
}

/** A partition of a stream's topic. */
export interface MaterializedPlace {
  topic: string;
  partition: number;
}

/** Says how far the store has a partition. */
export class MaterializedOffset {
  constructor(private readonly options: MaterializedOffsetOptions) {}

  /** Everything below it is stored, or never will be; undefined when the topic is gone. @throws the signal's reason */
  async of({ topic, partition }: MaterializedPlace, signal: AbortSignal): Promise<number | undefined> {
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
   * Resolves true when everything below `until` is stored; false when the topic is gone.
   * @param waits Is called before each further look; false ends the waiting.
   * @throws the signal's reason
   */
  async reaches(
    place: MaterializedPlace & { until: number },
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
