/** Placeholder in metadata requests that need only the brokers: an empty list of topics would request all topics. */
export const noTopic = '-';

interface LoadedMetadata {
  brokers: { nodeId: number }[];
  topicMetadata: { topic: string }[];
}

/** The parts of kafkajs/src/cluster/index.js that determine for which topics a producer loads metadata. */
export interface ProducingCluster {
  targetTopics: Set<string>;
  readonly brokerPool: {
    metadata: LoadedMetadata | null;
    metadataExpireAt: number | null;
    refreshMetadata(topics: string[]): Promise<void>;
    /** The known brokers, by node id. */
    readonly brokers: Record<number, unknown>;
    findConnectedBroker(): Promise<{ metadata(topics: string[]): Promise<LoadedMetadata> }>;
  };
  refreshMetadata: (this: ProducingCluster) => Promise<void>;
  refreshMetadataIfNecessary(): Promise<void>;
  addMultipleTargetTopics: (this: ProducingCluster, topics: string[]) => Promise<void>;
}

/**
 * Patches the cluster so that a producer loads the metadata of a new topic only. kafkajs loads the metadata of all topics
 * that the producer has ever used whenever it uses a new one, compares all of them with the metadata before each
 * request, and loads them all before each request once one of them has been deleted. Before the producer uses a topic,
 * kafkajs loads the metadata of all topics of the cluster.
 */
export function patchTargetTopics({ prototype }: { prototype: ProducingCluster }): void {
  const original = prototype.addMultipleTargetTopics;
  prototype.addMultipleTargetTopics = async function (topics) {
    if (!this.brokerPool.metadata) return await original.call(this, topics);
    const added = topics.filter((topic) => !this.targetTopics.has(topic));
    if (added.length > 0) await addTopics(this, [...new Set(added)]);
  };
  const refreshTargets = prototype.refreshMetadata;
  prototype.refreshMetadata = async function () {
    if (this.targetTopics.size > 0) return await refreshTargets.call(this);
    await this.brokerPool.refreshMetadata([noTopic]);
  };
  prototype.refreshMetadataIfNecessary = async function () {
    const { metadata, metadataExpireAt } = this.brokerPool;
    if (metadata && metadataExpireAt !== null && Date.now() <= metadataExpireAt) return;
    await this.refreshMetadata();
  };
}

/** Adds topics with their metadata. A missing topic is not added, so the next send with this topic looks it up again. */
async function addTopics(cluster: ProducingCluster, topics: string[]): Promise<void> {
  const broker = await cluster.brokerPool.findConnectedBroker();
  const { brokers, topicMetadata } = await broker.metadata(topics);
  for (const { topic } of topicMetadata) cluster.targetTopics.add(topic);
  const { metadata } = cluster.brokerPool;
  // Only a refresh of all metadata connects to new brokers.
  if (!metadata || !brokers.every(({ nodeId }) => cluster.brokerPool.brokers[nodeId]))
    return await cluster.refreshMetadata();
  const found = new Set(topicMetadata.map(({ topic }) => topic));
  metadata.topicMetadata = [
    ...metadata.topicMetadata.filter(({ topic }) => !found.has(topic)),
    ...topicMetadata,
  ];
}
