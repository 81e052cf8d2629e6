import { beforeEach, describe, expect, it } from 'vitest';
import { patchTargetTopics, type ProducingCluster } from './target-topics.js';

const broker = { nodeId: 1 };
const described = (topic: string) => ({ topic });

describe('the topics of a producer', () => {
  let existing: Set<string>;
  /** The topics of each metadata request. */
  let asked: string[][];
  let brokers: { nodeId: number }[];
  let cluster: ProducingCluster;

  beforeEach(() => {
    existing = new Set(['a', 'b', 'c']);
    asked = [];
    brokers = [broker];
    const metadata = async (topics: string[]) => {
      asked.push([...topics]);
      return { brokers, topicMetadata: topics.filter((topic) => existing.has(topic)).map(described) };
    };
    class Cluster implements ProducingCluster {
      targetTopics = new Set<string>();
      brokerPool: ProducingCluster['brokerPool'] = {
        metadata: null,
        metadataExpireAt: null,
        brokers: { 1: broker },
        findConnectedBroker: async () => ({ metadata }),
        refreshMetadata: async (topics) => {
          this.brokerPool.metadata = await metadata(topics);
          this.brokerPool.metadataExpireAt = Date.now() + 60_000;
        },
      };
      async refreshMetadata(): Promise<void> {
        await this.brokerPool.refreshMetadata([...this.targetTopics]);
      }
      async refreshMetadataIfNecessary(): Promise<void> {
        throw new Error('replaced by the patch');
      }
      async addMultipleTargetTopics(topics: string[]): Promise<void> {
        for (const topic of topics) this.targetTopics.add(topic);
        await this.refreshMetadata();
      }
    }
    patchTargetTopics(Cluster);
    cluster = new Cluster();
  });
  const known = () => cluster.brokerPool.metadata?.topicMetadata.map(({ topic }) => topic);
  const use = async (...topics: string[]): Promise<void> => {
    await cluster.addMultipleTargetTopics(topics);
    await cluster.refreshMetadataIfNecessary();
  };

  it('are looked up once each, and keep their metadata when another one is added', async () => {
    await use('a');
    await use('a', 'b');
    await use('a', 'b', 'c');
    expect(asked).toEqual([['a'], ['b'], ['c']]);
    expect(known()).toEqual(['a', 'b', 'c']);
  });

  it('do not cause a look-up of all topics of the cluster: neither at connect, nor while the first one is missing', async () => {
    await cluster.refreshMetadataIfNecessary();
    await use('new');
    await cluster.refreshMetadata();
    expect(asked).toEqual([['-'], ['new'], ['-']]);
    existing.add('new');
    await use('new');
    expect(known()).toEqual(['new']);
  });

  it('are looked up again while they do not exist', async () => {
    await use('a');
    await use('new');
    existing.add('new');
    await use('new');
    expect(asked).toEqual([['a'], ['new'], ['new']]);
    expect(known()).toEqual(['a', 'new']);
  });

  it('do not cause a look-up before each request after one of them was deleted', async () => {
    await use('a', 'b');
    existing.delete('b');
    await cluster.refreshMetadata();
    await use('a');
    await use('a');
    expect(asked).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('are all looked up when the metadata has expired', async () => {
    await use('a');
    cluster.brokerPool.metadataExpireAt = Date.now() - 1;
    await use('b');
    expect(asked).toEqual([['a'], ['b'], ['a', 'b']]);
  });

  it('are all looked up when the cluster has a broker that the producer does not know', async () => {
    await use('a');
    brokers = [broker, { nodeId: 2 }];
    await use('b');
    expect(asked).toEqual([['a'], ['b'], ['a', 'b']]);
    expect(known()).toEqual(['a', 'b']);
  });
});
