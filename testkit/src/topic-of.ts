import { streamNameOf, type TopicAndGroupNames } from '#event';

/**
 * Returns the topic of the stream that currently has this name, read from Kafka. kafkajs is imported only in this
 * function, because the log library must patch kafkajs before the package is loaded.
 * @throws if no stream has the name
 */
export async function topicOf(
  { brokers, topics }: { brokers: string; topics: TopicAndGroupNames },
  stream: string,
): Promise<string> {
  const { Kafka, logLevel } = await import('kafkajs');
  const kafka = new Kafka({ clientId: 'test', brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const all = await admin.listTopics().finally(() => admin.disconnect());
  const found = all.find((topic) => streamNameOf(topics.streamOf(topic) ?? '') === stream);
  if (found !== undefined) return found;
  throw new Error(`there is no topic of ${stream}`);
}
