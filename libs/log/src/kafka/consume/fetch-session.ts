import type { FetchPlace, SessionAnswer, SessionRequest } from './fetch-protocol.js';

/** A partition as the session sees it. */
export interface SessionPartition {
  readonly topic: string;
  readonly partition: number;
  /** The offset to fetch next. */
  readonly next: number;
}

const sessionNotFound = 70;
const wrongEpoch = 71;
const largestEpoch = 0x7fff_ffff;

/**
 * An incremental fetch session with one broker (KIP-227). The broker remembers the partitions and their offsets, so that
 * a request names only what has changed, and an answer holds only partitions with news. A partition that is held back is
 * forgotten by the broker and added again later.
 *
 * A broker without room for another session answers with session 0; then every request names all partitions.
 */
export class FetchSession<Partition extends SessionPartition> {
  private id = 0;
  private epoch = 0;
  /** What to fetch, the longest without records first: in a full request the first ones get the bytes. */
  private readonly wanted = new Map<string, Partition>();
  private readonly held = new Set<Partition>();
  /** What the broker fetches for us, and from which offset. */
  private readonly sent = new Map<string, { partition: Partition; offset: number }>();
  /** Keys that may differ between `wanted` and `sent`. */
  private readonly changed = new Set<string>();

  /** Partitions that are fetched. */
  get size(): number {
    return this.wanted.size;
  }

  /** Whether some partition is known, and not fetched for the moment. */
  get holding(): boolean {
    return this.held.size > 0;
  }

  /** Every partition of this session, fetched or held back. */
  get partitions(): Partition[] {
    return [...this.wanted.values(), ...this.held];
  }

  /** Fetches the partition from its `next` on. */
  want(partition: Partition): void {
    const key = keyOf(partition);
    this.held.delete(partition);
    this.wanted.delete(key);
    this.wanted.set(key, partition);
    this.changed.add(key);
  }

  /** Keeps the partition, but does not fetch it until it is wanted again. */
  hold(partition: Partition): void {
    this.drop(partition);
    this.held.add(partition);
  }

  drop(partition: Partition): void {
    const key = keyOf(partition);
    this.held.delete(partition);
    if (this.wanted.get(key) !== partition) return;
    this.wanted.delete(key);
    this.changed.add(key);
  }

  /** The next request. Every request is followed by `answered` or `lost`. */
  next(): SessionRequest {
    const { id: sessionId, epoch: sessionEpoch } = this;
    if (sessionEpoch > 0) return { sessionId, sessionEpoch, ...this.changes() };
    this.sent.clear();
    this.changed.clear();
    const places = [...this.wanted].map(([key, partition]) => this.send(key, partition));
    return { sessionId, sessionEpoch, places, forgotten: [] };
  }

  private changes(): Pick<SessionRequest, 'places' | 'forgotten'> {
    const places: FetchPlace[] = [];
    const forgotten: SessionRequest['forgotten'] = [];
    for (const key of this.changed) {
      const now = this.wanted.get(key);
      const before = this.sent.get(key);
      if (now && (before?.partition !== now || before.offset !== now.next)) places.push(this.send(key, now));
      if (now || !before) continue;
      this.sent.delete(key);
      forgotten.push({ topic: before.partition.topic, partition: before.partition.partition });
    }
    this.changed.clear();
    return { places, forgotten };
  }

  private send(key: string, partition: Partition): FetchPlace {
    const offset = partition.next;
    this.sent.set(key, { partition, offset });
    return { topic: partition.topic, partition: partition.partition, offset };
  }

  /**
   * Whether the answer counts. False when the broker does not have the session as we know it: the next request is a full
   * one then.
   */
  answered({ errorCode, sessionId }: SessionAnswer): boolean {
    if (errorCode === sessionNotFound || errorCode === wrongEpoch) {
      this.lost();
      if (errorCode === sessionNotFound) this.id = 0;
      return false;
    }
    this.id = sessionId;
    this.epoch = sessionId === 0 ? 0 : this.epoch === largestEpoch ? 1 : this.epoch + 1;
    return true;
  }

  /** No answer came. The next request names everything, and ends the session there may be. */
  lost(): void {
    this.epoch = 0;
  }

  /** The partition that an answer is about; undefined when it is not fetched any more, or from another offset. */
  asked(answer: { topic: string; partition: number }): Partition | undefined {
    const key = keyOf(answer);
    const asked = this.sent.get(key);
    if (!asked || this.wanted.get(key) !== asked.partition) return undefined;
    return asked.offset === asked.partition.next ? asked.partition : undefined;
  }

  /** The request that lets the broker forget the session; undefined when it has none. */
  ending(): SessionRequest | undefined {
    const { id: sessionId } = this;
    if (sessionId === 0) return undefined;
    this.id = 0;
    this.epoch = 0;
    return { sessionId, sessionEpoch: -1, places: [], forgotten: [] };
  }
}

function keyOf({ topic, partition }: { topic: string; partition: number }): string {
  return `${topic}/${partition}`;
}
