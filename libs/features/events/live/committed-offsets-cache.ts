import { isRetriableLogError, type TopicAdmin } from '#kafka';

/** The offset that a consumer group reads next, by topic and then by partition. */
export type CommittedOffsets = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Milliseconds for which callers share one answer of Kafka. */
const freshMs = 50;

/** Committed offsets of a group, which many callers request at about the same time. */
export class CommittedOffsetsCache {
  private asked: Promise<CommittedOffsets> = Promise.resolve(new Map());
  private askedAt = -Infinity;

  constructor(
    private readonly log: { admin: Pick<TopicAdmin, 'committedIn'> },
    private readonly group: string,
  ) {}

  /**
   * Returns the committed offsets of these topics, as of 50 ms ago at most; none while Kafka cannot be reached.
   * @param topics number of partitions by topic
   */
  of(topics: ReadonlyMap<string, number>): Promise<CommittedOffsets> {
    if (performance.now() - this.askedAt <= freshMs) return this.asked;
    this.askedAt = performance.now();
    const asked =
      topics.size > 0 ? this.log.admin.committedIn(this.group, topics) : Promise.resolve(new Map());
    return (this.asked = asked.catch((error: unknown) => {
      if (isRetriableLogError(error)) return new Map();
      throw error;
    }));
  }
}
