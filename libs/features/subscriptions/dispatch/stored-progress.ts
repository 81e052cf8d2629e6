import type { TopicAdmin } from '#kafka';
import type { Logger } from '#telemetry';

/** The offset up to which the events of each partition are stored, by topic and partition. */
export type StoredOffsets = ReadonlyMap<string, ReadonlyMap<number, number>>;

interface StoredProgressOptions {
  admin: Pick<TopicAdmin, 'committedIn'>;
  /** The group of the materializer: what it has committed is stored. */
  group: string;
  logger: Pick<Logger, 'warn'>;
  /** Milliseconds between two requests to Kafka. */
  pollMs?: number;
}

/** Somebody who waits for events of topics. */
export interface ProgressFollower {
  /** Returns the number of partitions of each topic. */
  topics(): ReadonlyMap<string, number>;
  /** Called when further events of a topic may be stored. */
  moved(): void;
}

/** Polls how far the events of topics are stored, in one request for all followers. Polls nothing without a follower. */
export class StoredProgress {
  private readonly followers = new Set<ProgressFollower>();
  private readonly unanswered = new Set<ProgressFollower>();
  private timer: NodeJS.Timeout | undefined;
  private isAsking = false;
  private isFailing = false;
  private stored: StoredOffsets = new Map();
  /** When Kafka was asked last that has answered, in milliseconds of `performance.now()`. */
  askedAt = -Infinity;

  constructor(private readonly options: StoredProgressOptions) {}

  /** The newest offsets that are known. They may lack topics that nobody has followed yet. */
  get offsets(): StoredOffsets {
    return this.stored;
  }

  /** Calls `moved` after the first answer of Kafka, and after each with other offsets. Returns what ends that. */
  follow(follower: ProgressFollower): () => void {
    this.followers.add(follower);
    this.unanswered.add(follower);
    if (!this.timer && !this.isAsking) void this.ask();
    return () => {
      this.followers.delete(follower);
      this.unanswered.delete(follower);
      if (this.followers.size > 0) return;
      clearTimeout(this.timer);
      this.timer = undefined;
    };
  }

  private async ask(): Promise<void> {
    this.isAsking = true;
    const { admin, group, logger, pollMs = 20 } = this.options;
    const askedAt = performance.now();
    const asked = [...this.unanswered];
    const topics = new Map([...this.followers].flatMap((follower) => [...follower.topics()]));
    const stored = await admin.committedIn(group, topics).catch((error: unknown) => {
      if (!this.isFailing)
        logger.warn({ err: error as Error }, 'subscriptions wait for the offsets that are stored');
      return undefined;
    });
    this.isFailing = stored === undefined;
    this.isAsking = false;
    const before = this.stored;
    if (stored) Object.assign(this, { stored, askedAt });
    for (const follower of stored ? [...this.followers] : []) {
      const isFirst = asked.includes(follower) && this.unanswered.delete(follower);
      if (isFirst || hasMoved([...follower.topics().keys()], { before, stored: stored! })) follower.moved();
    }
    if (this.followers.size > 0)
      this.timer = setTimeout(() => void this.ask(), stored ? pollMs : 20 * pollMs).unref();
    else this.timer = undefined;
  }
}

function hasMoved(
  topics: readonly string[],
  { before, stored }: { before: StoredOffsets; stored: StoredOffsets },
): boolean {
  return topics.some((topic) =>
    [...(stored.get(topic) ?? [])].some(
      ([partition, offset]) => offset !== before.get(topic)?.get(partition),
    ),
  );
}
