import type { TopicNames } from '#event';
import type { Definitions, RunSource } from '#registry';
import type { ReadTopic } from '../lag/group-lag.js';

/** The topics of what a build or a run is bound to. A stream that is deleted, or made anew, is not read any more. */
export function readTopics(
  sources: Readonly<Record<string, RunSource>>,
  { definitions, topics }: { definitions: Pick<Definitions, 'stream'>; topics: TopicNames },
): ReadTopic[] {
  return Object.entries(sources).flatMap(([stream, { id, starts }]) => {
    const definition = definitions.stream(stream);
    if (definition?.state !== 'live' || definition.id !== id) return [];
    return [{ topic: topics.ofStream(id), starts }];
  });
}
