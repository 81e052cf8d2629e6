import type { StreamId, TopicNames } from '#event';
import { topicOf } from './topic-of.js';

/** The id of the stream that has this name now, as Kafka's topics tell it. @throws when there is none */
export async function idOf(
  stack: { brokers: string; topics: TopicNames },
  stream: string,
): Promise<StreamId> {
  return stack.topics.streamOf(await topicOf(stack, stream))!;
}
