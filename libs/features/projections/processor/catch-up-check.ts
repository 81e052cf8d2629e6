import type { TopicAndGroupNames } from '#event';
import type { ProjectionGeneration } from '#features/projections/definition';
import type { TopicAdmin } from '#kafka';

/**
 * Checks whether a generation has caught up with the log: in every partition, the generation's consumer group has
 * committed the current end offset or the end offset of the previous check.
 */
export class CatchUpCheck {
  private ends = new Map<string, number>();

  constructor(
    private readonly kafka: { admin: TopicAdmin; topics: TopicAndGroupNames },
    private readonly build: ProjectionGeneration,
  ) {}

  /**
   * Resolves with whether the generation has caught up with the log.
   * @param streams The sources of the generation that still exist.
   * @throws LogUnavailableError when Kafka is unreachable
   * @throws UnknownTopicError when a source's topic does not exist
   */
  async is(streams: readonly string[]): Promise<boolean> {
    const { admin, topics } = this.kafka;
    const ends = new Map<string, number>();
    let reached = true;
    for (const stream of streams) {
      const { id, starts } = this.build.sources[stream]!;
      const topic = topics.ofStream(id);
      const committed = await admin.committed(topics.projectionGroup(this.build.id), topic);
      for (const { partition, end } of await admin.offsets(topic)) {
        const key = `${stream}:${partition}`;
        ends.set(key, end);
        const at = Math.max(committed.get(partition) ?? 0, starts?.[partition] ?? 0);
        if (at < Math.min(end, this.ends.get(key) ?? end)) reached = false;
      }
    }
    this.ends = ends;
    return reached;
  }
}
