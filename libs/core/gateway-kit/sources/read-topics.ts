import type { TopicAndGroupNames } from '#event';
import type { Definitions, SourceStreamWithStartOffsets } from '#registry';
import type { ConsumedTopic } from '../lag/group-lag-reader.js';

/**
 * Returns the topics of the bound sources of a generation or a job. A stream that was deleted, or deleted and created
 * again, is no longer read.
 */
export function readTopics(
  sources: Readonly<Record<string, SourceStreamWithStartOffsets>>,
  { definitions, topics }: { definitions: Pick<Definitions, 'stream'>; topics: TopicAndGroupNames },
): ConsumedTopic[] {
  return Object.entries(sources).flatMap(([stream, { id, starts }]) => {
    const definition = definitions.stream(stream);
    if (definition?.state !== 'live' || definition.id !== id) return [];
    return [{ topic: topics.ofStream(id), starts }];
  });
}
