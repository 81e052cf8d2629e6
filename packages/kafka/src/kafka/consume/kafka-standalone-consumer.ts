import { Backoff } from '#async';
import { LogUnavailableError } from '../../errors.js';
import type { Consumer, ConsumerOptions } from '../../log.js';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { isFatal } from '../cluster/kafka-errors.js';
import type { KafkaReaderDependencies } from './fetcher.js';
import { unknownEpoch } from '../../epoch-position.js';
import { partitionKey, type TopicPartition } from '../../topic-partition.js';
import type { CommittedOffset, GroupGeneration } from './group-generation.js';
import { GroupMembership } from './group-membership.js';
import { GroupSession } from './group-session.js';
import { WakeUpSignal } from './wake-up-signal.js';

/** What a `KafkaStandaloneConsumer` reads with; its `client` is for lookups. */
interface StandaloneConsumerDependencies extends KafkaReaderDependencies {
  /** Client for fetches, with its own connections: a broker lets later requests of one wait until it has records. */
  fetching: ClusterClient;
  /** Called when the consumer has been closed. */
  closed?: (() => unknown) | undefined;
}

const firstWaitMs = 100;
const longestWaitMs = 2_000;
/** How often the consumer checks whether a missing topic exists now. */
const missingTopicsMs = 1_000;
/** Longest time, in milliseconds, that an unsubscribed partition waits for its running batch. */
const releaseMs = 3_000;

/**
 * Reads all partitions of its topics alone, from the committed offsets of a group that it does not join. The loop looks up the
 * partitions of the topics, opens new ones and releases those of unsubscribed topics.
 */
export class KafkaStandaloneConsumer implements Consumer {
  readonly joined = true;
  private readonly changed = new WakeUpSignal();
  private readonly commits = new Map<string, number>();
  private readonly membership: GroupMembership;
  private readonly session: GroupSession;
  private topics: readonly string[] = [];
  private running: Promise<void> | undefined;
  private warned = false;
  private closed = false;

  constructor(
    private readonly options: ConsumerOptions,
    private readonly dependencies: StandaloneConsumerDependencies,
  ) {
    const { client } = dependencies;
    const { group, handler } = options;
    this.membership = new GroupMembership({ ...dependencies, joining: client, group });
    this.session = new GroupSession({
      ...dependencies,
      handler,
      generation: generationOf([], new Map()),
      membership: { committed: (partitions) => this.committed(partitions) },
      busy: new Map(),
      read: new Map(),
      onFatal: (error) => this.crash(error),
    });
  }

  async subscribe(topics: readonly string[]): Promise<void> {
    if (this.closed) throw new LogUnavailableError('the consumer is closed');
    this.topics = [...new Set(topics)];
    this.changed.raise();
    this.running ??= this.run();
  }

  reassign(topic: string, partition?: number): void {
    this.session.reassign(topic, partition);
  }

  fetchNow(): void {
    this.session.fetchNow();
  }

  /** Remembers the offset, from which a partition that is opened again is read. The group's offset does not change. */
  async commit(topic: string, partition: number, offset: number): Promise<boolean> {
    this.commits.set(partitionKey({ topic, partition }), offset);
    return !this.closed;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.changed.raise();
    await this.session.drain();
    this.session.end();
    await this.running;
    const { client, fetching, closed } = this.dependencies;
    await Promise.all([client, fetching].map((one) => one.close()));
    closed?.();
  }

  private async committed(partitions: readonly TopicPartition[]): Promise<CommittedOffset[]> {
    const found = await this.membership.committed(partitions);
    return found.map((one) => {
      const own = this.commits.get(partitionKey(one)) ?? -1;
      return own > one.offset ? { ...one, offset: own, leaderEpoch: unknownEpoch } : one;
    });
  }

  private async run(): Promise<void> {
    const { metadataRefreshMs } = this.dependencies.bounds;
    const backoff = new Backoff(firstWaitMs, longestWaitMs);
    while (!this.closed) {
      try {
        const isComplete = await this.openPartitions();
        backoff.reset();
        this.warned = false;
        await this.changed.wait(isComplete ? metadataRefreshMs : missingTopicsMs);
      } catch (error) {
        if (this.closed) return;
        if (isFatal(error)) return this.crash(error);
        const { logger } = this.dependencies;
        logger[this.warned ? 'debug' : 'warn']({ err: error }, 'Cannot look up partitions: trying again');
        this.warned = true;
        await this.changed.wait(backoff.next());
      }
    }
  }

  /** Opens and releases partitions. Resolves false while a topic does not exist. */
  private async openPartitions(): Promise<boolean> {
    const { topics, session } = this;
    // An empty list of topics would request all topics.
    const found = topics.length > 0 ? await this.membership.partitionsOf(topics) : new Map<string, number>();
    if (this.closed) return true;
    const lost = session.adopt(generationOf(topics, found));
    const subscribed = new Set(topics);
    const left = lost.map(({ topic }) => topic).filter((topic) => !subscribed.has(topic));
    if (left.length > 0) await session.releaseTopics(new Set(left), releaseMs);
    return topics.every((topic) => found.has(topic));
  }

  private crash(error: unknown): void {
    if (this.closed) return;
    void this.close();
    this.options.onCrash(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Returns a generation in which all partitions belong to this consumer. */
function generationOf(topics: readonly string[], partitionsOf: ReadonlyMap<string, number>): GroupGeneration {
  const all = (count: number) => Array.from({ length: count }, (_, partition) => partition);
  const assignment = new Map([...partitionsOf].map(([topic, count]) => [topic, all(count)]));
  return { id: 0, memberId: '', topics, partitionsOf, assignment };
}
