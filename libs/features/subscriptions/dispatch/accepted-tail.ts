import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredEvent, StreamId } from '#event';
import { streamKey, type AcceptedEventsReader } from '#features/events';
import type { Logger } from '#telemetry';
import type { EventRef } from '../state/subscription-command.js';
import type { StoredProgress, ProgressFollower } from './stored-progress.js';

/** Somebody who hands out events of topics. */
export interface TailFollower extends ProgressFollower {
  /** Returns the topic of each stream, by the id of the stream. */
  sources(): ReadonlyMap<StreamId, string>;
}

interface AcceptedTailOptions {
  reader: Pick<AcceptedEventsReader, 'read'>;
  progress: Pick<StoredProgress, 'offsets'>;
  logger: Pick<Logger, 'warn'>;
}

/** Accepted events of one partition whose offsets follow each other. */
interface TailPage {
  from: number;
  next: number;
  events: readonly StoredEvent[];
  characters: number;
}

interface TailSource {
  source: StreamId;
  topic: string;
  partitions: number;
  /** When a follower was seen last, in milliseconds of `performance.now()`. */
  usedAt: number;
}

interface PartitionTail {
  readonly topic: string;
  readonly partition: number;
  /** The pages, each of which begins where the one before ends. */
  pages: TailPage[];
  next: number;
}

/** Limit of all events that are kept, in characters of their texts. */
const mostCharacters = 16 * 1024 * 1024;
/** Limit of the partitions that are read: the id window of one takes up to 8 MB. The others come from the store. */
const mostPartitions = 512;
/** Milliseconds for which a stream is read that nobody follows. */
const lingerMs = 30_000;
const retryMs = 1_000;

/**
 * The accepted events of followed streams that are not stored yet, straight from the log, decided and deduplicated as every
 * consumer does. They have no version. Events that are stored are forgotten, as are the oldest ones beyond 16 MB: whoever needs
 * them reads the store.
 */
export class AcceptedTail {
  private readonly followers = new Set<TailFollower>();
  private readonly partitions = new Map<string, PartitionTail>();
  /** The streams that are read, by their key in positions. */
  private readonly sources = new Map<string, TailSource>();
  private consumption: ReturnType<AcceptedEventsReader['read']> | undefined;
  private characters = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: AcceptedTailOptions) {}

  /** Reads the topics of a follower, and calls `moved` when there are further events. Returns what ends that. */
  follow(follower: TailFollower): () => void {
    this.followers.add(follower);
    this.timer ??= setInterval(() => this.forgetUnused(), lingerMs / 3).unref();
    if (this.use(follower)) this.subscribe();
    return () => void this.followers.delete(follower);
  }

  /** Returns the pages of a partition from this offset on; none if they do not begin at the offset or before. */
  after(source: string, partition: number, offset: number): readonly TailPage[] {
    const pages = this.partitions.get(`${source}/${partition}`)?.pages ?? [];
    if (pages.length === 0 || pages[0]!.from > offset) return [];
    return pages.filter(({ next }) => next > offset);
  }

  find([source, partition, offset]: EventRef): StoredEvent | undefined {
    const [page] = this.after(source, partition, offset);
    return page?.events.find((event) => event.offset === offset);
  }

  /** Ends reading for good. */
  close(): void {
    this.isClosed = true;
    this.stop();
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    const { consumption } = this;
    this.consumption = undefined;
    this.partitions.clear();
    this.sources.clear();
    this.characters = 0;
    consumption?.stop(Promise.resolve()).catch(() => undefined);
  }

  /** Notes that the streams of a follower are used. Returns whether others are to be read than before. */
  private use(follower: TailFollower): boolean {
    let isChanged = false;
    let count = [...this.sources.values()].reduce((sum, { partitions }) => sum + partitions, 0);
    for (const [source, topic] of follower.sources()) {
      const key = streamKey(source);
      const partitions = follower.topics().get(topic) ?? 0;
      const known = this.sources.get(key);
      if (known) known.usedAt = performance.now();
      else if (count + partitions <= mostPartitions) {
        this.sources.set(key, { source, topic, partitions, usedAt: performance.now() });
        count += partitions;
        isChanged = true;
      }
    }
    return isChanged;
  }

  /** Stops reading streams that nobody has followed for a while. */
  private forgetUnused(): void {
    let isChanged = false;
    for (const follower of this.followers) isChanged = this.use(follower) || isChanged;
    for (const [key, { source, partitions, usedAt }] of this.sources) {
      if (performance.now() - usedAt < lingerMs) continue;
      this.sources.delete(key);
      for (let partition = 0; partition < partitions; partition++) this.drop(`${source}/${partition}`);
      isChanged = true;
    }
    if (this.sources.size === 0) this.stop();
    else if (isChanged) this.subscribe();
  }

  private drop(id: string): void {
    for (const page of this.partitions.get(id)?.pages ?? []) this.characters -= page.characters;
    this.partitions.delete(id);
  }

  private subscribe(): void {
    if (this.isClosed) return;
    this.consumption ??= this.read();
    const topics = [...new Set([...this.sources.values()].map(({ topic }) => topic))];
    this.consumption.subscribe(topics).catch((error: unknown) => void this.failed(error));
  }

  private read(): ReturnType<AcceptedEventsReader['read']> {
    const isCurrent = () => this.consumption === consumption;
    const consumption = this.options.reader.read({
      opened: ({ key, partition, committed }) => {
        if (isCurrent()) this.open(key, partition, committed);
        return committed;
      },
      deliver: async ({ key, partition, events, next }) => {
        if (isCurrent()) this.add({ key, partition, events, next });
      },
      failed: (error) => (isCurrent() ? void this.failed(error) : undefined),
    });
    return consumption;
  }

  private open(key: string, partition: number, next: number): void {
    const known = this.sources.get(key);
    if (!known) return;
    const id = `${known.source}/${partition}`;
    this.drop(id);
    this.partitions.set(id, { topic: known.topic, partition, pages: [], next });
  }

  private add({
    key,
    partition,
    events,
    next,
  }: {
    key: string;
    partition: number;
    events: readonly StoredEvent[];
    next: number;
  }): void {
    const known = this.sources.get(key);
    const tail = known && this.partitions.get(`${known.source}/${partition}`);
    if (!tail || next <= tail.next) return;
    const characters = events.reduce(
      (sum, { data, metadata }) => sum + data.length + metadata.length + 300,
      0,
    );
    tail.pages.push({ from: tail.next, next, events, characters });
    tail.next = next;
    this.characters += characters;
    this.forgetStored(tail);
    if (this.characters > mostCharacters)
      for (const other of this.partitions.values()) this.forgetStored(other);
    for (const other of this.partitions.values())
      while (this.characters > mostCharacters && other.pages.length > 0) this.forgetFirst(other);
    for (const follower of [...this.followers]) if (follower.topics().has(tail.topic)) follower.moved();
  }

  private forgetStored(tail: PartitionTail): void {
    const stored = this.options.progress.offsets.get(tail.topic)?.get(tail.partition) ?? 0;
    while (tail.pages.length > 0 && tail.pages[0]!.next <= stored) this.forgetFirst(tail);
  }

  private forgetFirst(tail: PartitionTail): void {
    this.characters -= tail.pages.shift()?.characters ?? 0;
  }

  /** Reads again after a moment: meanwhile the events come from the store. */
  private async failed(error: unknown): Promise<void> {
    this.options.logger.warn({ err: error as Error }, 'subscriptions read accepted events again soon');
    this.stop();
    await sleep(retryMs, undefined, { ref: false });
    for (const follower of this.isClosed ? [] : [...this.followers]) this.follow(follower);
  }
}
