import { partitionKey, type TopicPartition } from '../../topic-partition.js';
import type { FetchPosition, FetchResponseSession, FetchSessionRequest } from './fetch-protocol.js';

/** A partition that a fetch session fetches or pauses, with the offset to fetch next. */
type FetchSessionPartition = Readonly<TopicPartition & { next: number }>;

const sessionNotFound = 70;
const wrongEpoch = 71;
const largestEpoch = 0x7fff_ffff;

/**
 * Incremental fetch session with one broker (KIP-227). The broker remembers the partitions and their offsets, so that a
 * request names only changes, and a response contains only partitions with news. A paused partition is removed from the
 * session at the broker, and added again later.
 *
 * A broker without room for another session responds with session id 0; then every request names all partitions.
 */
export class FetchSession<Partition extends FetchSessionPartition> {
  private id = 0;
  private epoch = 0;
  /** Partitions to fetch, by key, least recently wanted first: brokers serve the first ones of a full response. */
  private readonly fetched = new Map<string, Partition>();
  private readonly paused = new Set<Partition>();
  /** Partitions that the broker has in the session, with their offsets. */
  private readonly sent = new Map<string, { partition: Partition; offset: number }>();
  /** Keys of partitions for which `fetched` and `sent` may differ. */
  private readonly changed = new Set<string>();

  /** Number of partitions that the next fetch covers; paused partitions do not count. */
  get size(): number {
    return this.fetched.size;
  }

  /** Whether a partition is paused. */
  get hasPaused(): boolean {
    return this.paused.size > 0;
  }

  /** All partitions, fetched or paused. */
  get partitions(): Partition[] {
    return [...this.fetched.values(), ...this.paused];
  }

  /** Fetches the partition from now on, from its `next` offset. Ends its pause if it was paused. */
  want(partition: Partition): void {
    const key = partitionKey(partition);
    this.paused.delete(partition);
    this.fetched.delete(key);
    this.fetched.set(key, partition);
    this.changed.add(key);
  }

  /** Pauses the partition: it is not fetched until the next call of `want`. */
  pause(partition: Partition): void {
    this.drop(partition);
    this.paused.add(partition);
  }

  /** Removes the partition, fetched or paused. */
  drop(partition: Partition): void {
    const key = partitionKey(partition);
    this.paused.delete(partition);
    if (this.fetched.get(key) !== partition) return;
    this.fetched.delete(key);
    this.changed.add(key);
  }

  /** Returns the next request. The caller then calls `answered` or `lost`. */
  next(): FetchSessionRequest {
    const { id: sessionId, epoch: sessionEpoch } = this;
    if (sessionEpoch > 0) return { sessionId, sessionEpoch, ...this.changes() };
    this.sent.clear();
    this.changed.clear();
    const positions = [...this.fetched].map(([key, partition]) => this.send(key, partition));
    return { sessionId, sessionEpoch, positions, forgotten: [] };
  }

  private changes(): Pick<FetchSessionRequest, 'positions' | 'forgotten'> {
    const positions: FetchPosition[] = [];
    const forgotten: FetchSessionRequest['forgotten'] = [];
    for (const key of this.changed) {
      const now = this.fetched.get(key);
      const before = this.sent.get(key);
      if (now && (before?.partition !== now || before.offset !== now.next))
        positions.push(this.send(key, now));
      if (now || !before) continue;
      this.sent.delete(key);
      forgotten.push({ topic: before.partition.topic, partition: before.partition.partition });
    }
    this.changed.clear();
    return { positions, forgotten };
  }

  private send(key: string, partition: Partition): FetchPosition {
    const offset = partition.next;
    this.sent.set(key, { partition, offset });
    return { topic: partition.topic, partition: partition.partition, offset };
  }

  /** Returns false if the broker does not know the session: the response is invalid, the next request is full. */
  answered({ errorCode, sessionId }: FetchResponseSession): boolean {
    if (errorCode === sessionNotFound || errorCode === wrongEpoch) {
      this.lost();
      if (errorCode === sessionNotFound) this.id = 0;
      return false;
    }
    this.id = sessionId;
    this.epoch = sessionId === 0 ? 0 : this.epoch === largestEpoch ? 1 : this.epoch + 1;
    return true;
  }

  /** After a fetch without a valid response: the next request names all partitions and starts a new session. */
  lost(): void {
    this.epoch = 0;
  }

  /** Returns the partition of an answer; undefined if it is no longer fetched, or fetched from another offset. */
  asked(answer: TopicPartition): Partition | undefined {
    const key = partitionKey(answer);
    const asked = this.sent.get(key);
    if (!asked || this.fetched.get(key) !== asked.partition) return undefined;
    return asked.offset === asked.partition.next ? asked.partition : undefined;
  }

  /** Returns the request that closes the session at the broker; undefined if there is no session. */
  ending(): FetchSessionRequest | undefined {
    const { id: sessionId } = this;
    if (sessionId === 0) return undefined;
    this.id = 0;
    this.epoch = 0;
    return { sessionId, sessionEpoch: -1, positions: [], forgotten: [] };
  }
}
