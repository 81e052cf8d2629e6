import { streamName, type TopicNames } from '#event';

/**
 * The topic of the stream that has this name now, asked from Kafka itself. kafkajs is loaded here and not before: the log
 * replaces parts of it before they are loaded.
 * @throws when there is none
 */
export async function topicOf(
  { brokers, topics }: { brokers: string; topics: TopicNames },
  stream: string,
): Promise<string> {
  const { Kafka, logLevel } = await import('kafkajs');
  const kafka = new Kafka({ clientId: 'test', brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const all = await admin.listTopics().finally(() => admin.disconnect());
  const found = all.find((topic) => streamName(topics.streamOf(topic) ?? '') === stream);
  if (found !== undefined) return found;
  throw new Error(`there is no topic of ${stream}`);
}
