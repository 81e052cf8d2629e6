import { allStreams } from '#api';
import { LogOrderPageReader, type EventReader, type OffsetRange } from '#store';
import type { StoredEvent, StreamId } from '#event';
import type { FreshRange } from '../state/subscription-command.js';
import type { SubscriptionState } from '../state/subscription-state.js';
import type { AcceptedTail } from './accepted-tail.js';
import type { StoredOffsets } from './stored-progress.js';

/** A stream that a subscription reads, by its id, its present name, its topic, and where it begins in each partition. */
export interface SubscribedStream {
  source: StreamId;
  stream: string;
  topic: string;
  partitions: number;
  starts: readonly number[] | undefined;
}

interface SourceBufferOptions {
  reader: Pick<EventReader, 'inLogOrder'>;
  /** The events that are not stored yet. */
  tail: Pick<AcceptedTail, 'after'>;
  streams(): readonly SubscribedStream[];
  eventTypes: readonly string[] | undefined;
  /** Whether an event is handed out. Its type is one of `eventTypes`. */
  selects(event: StoredEvent): boolean;
  /** Returns the entity that orders an event; null if nothing does. */
  entityOf(event: StoredEvent): string | null;
}

/** The selected events of one partition from `from` on, as far as it has been read. */
interface BufferedPartition {
  source: string;
  partition: number;
  from: number;
  next: number;
  events: StoredEvent[];
}

/** What a claim takes of a buffer: the ranges, and the events in them. */
export interface TakenEvents {
  fresh: FreshRange[];
  events: StoredEvent[];
}

const page = { events: 2_000, bytes: 2 * 1024 * 1024 };
/** A partition with more events takes no further ones. */
const mostBuffered = page.events / 2;
/** Limit of the texts of the events that are read and not taken, in characters. */
const mostCharacters = 4 * 1024 * 1024;

/**
 * The next events of a subscription, read ahead of the position that all processes share: about two pages at most. They come from
 * the store as far as they are stored, and from the log behind that.
 */
export class SourceBuffer {
  private readonly partitions = new Map<string, BufferedPartition>();
  private readonly pages: LogOrderPageReader;
  private size = 0;
  private characters = 0;

  constructor(private readonly options: SourceBufferOptions) {
    this.pages = new LogOrderPageReader({ reader: options.reader, ...page });
  }

  /** Number of events that are read and not taken. */
  get length(): number {
    return this.size;
  }

  /** Whether the texts of its events take so much memory that no more are read. */
  get isFull(): boolean {
    return this.characters > mostCharacters;
  }

  /** Whether events are stored that are not read yet, and there is room for them. */
  hasUnread(state: SubscriptionState, stored: StoredOffsets): boolean {
    this.follow(state);
    return this.unread(stored).length > 0;
  }

  /** Takes what follows from the tail of the log. Returns whether there was something. */
  fillFromTail(state: SubscriptionState): boolean {
    this.follow(state);
    const { eventTypes, tail } = this.options;
    let isFilled = false;
    for (const buffered of this.partitions.values()) {
      for (const page of tail.after(buffered.source, buffered.partition, buffered.next)) {
        if (buffered.events.length > mostBuffered || this.isFull) break;
        for (const event of page.events) {
          const isNew = event.offset >= buffered.next && (eventTypes?.includes(event.event_type) ?? true);
          if (isNew && this.options.selects(event)) buffered.events.push(event);
        }
        buffered.next = page.next;
        isFilled = true;
        this.count();
      }
    }
    return isFilled;
  }

  /** Reads a further page of stored events. Resolves with whether there was something to read. */
  async fill(state: SubscriptionState, stored: StoredOffsets, signal: AbortSignal): Promise<boolean> {
    this.follow(state);
    const ranges = this.unread(stored);
    if (ranges.length === 0) return false;
    const { eventTypes } = this.options;
    const filter = { access: allStreams, ...(eventTypes && { eventTypes }) };
    const { events, reached } = await this.pages.read(filter, ranges, signal);
    const sources = new Map(this.options.streams().map(({ stream, source }) => [stream, source]));
    for (const { stream, partition, from, next } of reached) {
      const buffered = this.partitions.get(`${sources.get(stream)}/${partition}`);
      // The stream was deleted meanwhile, or the subscription was moved.
      if (buffered?.next !== from) continue;
      buffered.next = next;
      for (const event of events) {
        const isOwn = event.stream === stream && event.partition === partition && event.offset < next;
        if (isOwn && this.options.selects(event)) buffered.events.push(event);
      }
    }
    this.count();
    return true;
  }

  /**
   * Returns what follows the position of each partition, with at most so many events.
   * @param least a position moves without an event over at least so many offsets
   */
  take(state: SubscriptionState, most: number, least: number): TakenEvents {
    this.follow(state);
    const taken: TakenEvents = { fresh: [], events: [] };
    let left = most;
    for (const buffered of shuffled([...this.partitions.values()])) {
      const { source, partition, from } = buffered;
      const events = buffered.events.slice(0, left);
      const next =
        events.length < buffered.events.length ? (events.at(-1)?.offset ?? from - 1) + 1 : buffered.next;
      const isWorthwhile = events.length > 0 || next - from >= least;
      if (!isWorthwhile) continue;
      left -= events.length;
      taken.events.push(...events);
      const refs = events.map((event) => [event.offset, this.options.entityOf(event)] as const);
      taken.fresh.push({ source, partition, from, next, events: refs });
    }
    return taken;
  }

  /** Brings the buffer to the positions of the state: another process may have claimed events. */
  private follow(state: SubscriptionState): void {
    const keys = new Set<string>();
    for (const { source, partitions, starts } of this.options.streams()) {
      for (let partition = 0; partition < partitions; partition++) {
        const key = `${source}/${partition}`;
        keys.add(key);
        const from = state.nextOf(source, partition) ?? starts?.[partition] ?? 0;
        const known = this.partitions.get(key);
        if (!known || from < known.from || from > known.next)
          this.partitions.set(key, { source, partition, from, next: from, events: [] });
        else if (from > known.from) {
          known.from = from;
          known.events = known.events.filter(({ offset }) => offset >= from);
        }
      }
    }
    for (const key of this.partitions.keys()) if (!keys.has(key)) this.partitions.delete(key);
    this.count();
  }

  private unread(stored: StoredOffsets): OffsetRange[] {
    if (this.isFull) return [];
    const ranges = this.options.streams().flatMap(({ source, stream, topic, partitions }) =>
      Array.from({ length: partitions }, (_, partition): OffsetRange => {
        const { next: from, events } = this.partitions.get(`${source}/${partition}`)!;
        const until = stored.get(topic)?.get(partition) ?? 0;
        // A partition that has enough waits, so that one with much to read does not hold back the others.
        return { stream, partition, from, until: events.length > mostBuffered ? from : until };
      }),
    );
    return shuffled(ranges.filter(({ from, until }) => from < until));
  }

  private count(): void {
    [this.size, this.characters] = [0, 0];
    for (const { events } of this.partitions.values()) {
      this.size += events.length;
      for (const { data, metadata } of events) this.characters += data.length + metadata.length;
    }
  }
}

/** Returns the elements from a random one on, so that none is always the last. */
function shuffled<T>(all: readonly T[]): T[] {
  const first = Math.floor(Math.random() * all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}
