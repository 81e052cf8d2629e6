import { setTimeout as sleep } from 'node:timers/promises';
import { UnknownTopicError } from '../../errors.js';
import type { ClusterClient } from '../cluster/cluster-client.js';

/** Number of lookups of an unknown topic: it may take a moment until every broker knows a new topic. */
const unknownTries = 3;
const unknownWaitMs = 100;
const maxTopics = 20_000;

/** Number of partitions of each topic; looked up once, until `forget` or until 20,000 topics clear the cache. */
export class TopicMetadataCache {
  private readonly counts = new Map<string, number>();
  private readonly pending = new Map<string, Promise<number>>();

  constructor(private readonly client: ClusterClient) {}

  get(topic: string): number | undefined {
    return this.counts.get(topic);
  }

  /**
   * Returns the number of partitions, from the cache or from the cluster.
   * @throws UnknownTopicError if the topic does not exist
   * @throws LogUnavailableError if the cluster does not respond
   */
  load(topic: string): Promise<number> {
    const known = this.counts.get(topic);
    if (known !== undefined) return Promise.resolve(known);
    const pending = this.pending.get(topic);
    if (pending) return pending;
    const loading = this.ask(topic).finally(() => this.pending.delete(topic));
    this.pending.set(topic, loading);
    return loading;
  }

  /** Removes the topic from the cache, because it was removed or recreated. */
  forget(topic: string): void {
    this.counts.delete(topic);
  }

  async exists(topic: string): Promise<boolean> {
    return (await this.lookUp(topic)) !== undefined;
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async ask(topic: string): Promise<number> {
    for (let tries = 1; ; tries++) {
      const count = await this.lookUp(topic);
      if (count !== undefined) {
        if (this.counts.size >= maxTopics) this.counts.clear();
        this.counts.set(topic, count);
        return count;
      }
      if (tries >= unknownTries) throw new UnknownTopicError(topic);
      await sleep(unknownWaitMs);
    }
  }

  private async lookUp(topic: string): Promise<number | undefined> {
    const known = await this.client.retrying('looking up a topic', () => this.client.partitionsOf(topic));
    return known?.length;
  }
}
