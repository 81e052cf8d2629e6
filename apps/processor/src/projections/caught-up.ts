import type { TopicNames } from '#event';
import type { ProjectionBuild } from '#registry';
import type { TopicAdmin } from '#log';

/**
 * Tells whether a build has been through the log: when its group stands, in every partition, where the log's end was at
 * the last question, or is now.
 */
export class CaughtUp {
  private ends = new Map<string, number>();

  constructor(
    private readonly parts: { admin: TopicAdmin; topics: TopicNames },
    private readonly build: ProjectionBuild,
  ) {}

  /** @param streams Those of its sources that are still there. @throws LogUnavailableError @throws UnknownTopicError */
  async is(streams: readonly string[]): Promise<boolean> {
    const ends = new Map<string, number>();
    let reached = true;
    for (const stream of streams) {
      const topic = this.parts.topics.ofStream(this.build.sources[stream]!.id);
      const committed = await this.parts.admin.committed(
        this.parts.topics.projectionGroup(this.build.id),
        topic,
      );
      for (const { partition, end } of await this.parts.admin.offsets(topic)) {
        const key = `${stream}:${partition}`;
        ends.set(key, end);
        const start = this.build.sources[stream]?.starts?.[partition] ?? 0;
        const at = Math.max(committed.get(partition) ?? 0, start);
        if (at < Math.min(end, this.ends.get(key) ?? end)) reached = false;
      }
    }
    this.ends = ends;
    return reached;
  }
}
