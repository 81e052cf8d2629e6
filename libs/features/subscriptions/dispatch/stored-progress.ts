import type { TopicAdmin } from '#kafka';

/** The offset up to which the events of each partition are stored, by topic and partition. */
export type StoredOffsets = ReadonlyMap<string, ReadonlyMap<number, number>>;

interface StoredProgressOptions {
  admin: Pick<TopicAdmin, 'committedIn'>;
  /** The group of the materializer: what it has committed is stored. */
  group: string;
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
  private timer: NodeJS.Timeout | undefined;
  private isAsking = false;
  private stored: StoredOffsets = new Map();

  constructor(private readonly options: StoredProgressOptions) {}

  /** The newest offsets that are known. They may lack topics that nobody has followed yet. */
  get offsets(): StoredOffsets {
    return this.stored;
  }

  /** Calls `moved` after each answer of Kafka with other offsets. Returns what ends that. */
  follow(follower: ProgressFollower): () => void {
    this.followers.add(follower);
    if (!this.timer && !this.isAsking) void this.ask();
    return () => {
      this.followers.delete(follower);
      if (this.followers.size > 0) return;
      clearTimeout(this.timer);
      this.timer = undefined;
    };
  }

  private async ask(): Promise<void> {
    this.isAsking = true;
    const { admin, group, pollMs = 20 } = this.options;
    const topics = new Map([...this.followers].flatMap((follower) => [...follower.topics()]));
    // While Kafka cannot be reached, nothing can be claimed either, and that is answered.
    const stored = await admin.committedIn(group, topics).catch(() => undefined);
    this.isAsking = false;
    const before = this.stored;
    if (stored) this.stored = stored;
    for (const follower of [...this.followers])
      if (stored && hasMoved([...follower.topics().keys()], { before, stored })) follower.moved();
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
