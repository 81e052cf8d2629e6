import type { StreamId, TopicAndGroupNames } from '#event';
import { topicOf } from './topic-of.js';

/**
 * Returns the id of the stream that currently has this name, from Kafka's list of topics. @throws if no stream has the
 * name
 */
export async function idOf(
  stack: { brokers: string; topics: TopicAndGroupNames },
  stream: string,
): Promise<StreamId> {
  return stack.topics.streamOf(await topicOf(stack, stream))!;
}
