import { allStreams } from '#api';
import type { StoredEvent } from '#event';
import type { Bulkhead } from '#gateway-kit';
import { maxOffsetRanges, QueryTooExpensiveError, type EventReader, type OffsetRange } from '#store';
import { refOf, type Delivery } from '../state/delivery.js';
import type { EventRef } from '../state/subscription-command.js';

/** An event to load, and the entity that orders it. */
type LoadableDelivery = Pick<Delivery, 'source' | 'partition' | 'offset' | 'entity'>;

interface EventLoaderOptions {
  reader: Pick<EventReader, 'inLogOrder'>;
  /** Returns the name of the stream with this id; undefined if it was deleted. */
  nameOf(source: string): string | undefined;
  /** Whether an event was erased with its entity. */
  isErased(ref: EventRef, entity: string | null): boolean;
  /** Returns an event that is not stored yet. */
  inTail(ref: EventRef): StoredEvent | undefined;
  /** Whether the store has the events of a partition up to this one. */
  isStored(ref: EventRef): boolean;
  missing: MissingEvents;
  /** Limits the queries of all subscriptions. */
  reads: Bulkhead;
  budget: KeptEventsBudget;
}

/** What all loaders of the process keep, in characters. */
export interface KeptEventsBudget {
  characters: number;
}

/** Limit of an answer of the store, in bytes. */
const mostBytes = 12 * 1024 * 1024;
/** Limits of the events that one loader keeps, and that all keep, in characters. */
const mostKept = { one: 8 * 1024 * 1024, all: 64 * 1024 * 1024 };

/** Loads single events by their positions, and keeps those for a while that were read and could not be handed out yet. */
export class EventLoader {
  private readonly kept = new Map<string, StoredEvent>();
  private keptCharacters = 0;

  constructor(private readonly options: EventLoaderOptions) {}

  /** Whether further events would replace kept ones. */
  get isFull(): boolean {
    return this.keptCharacters > 0.9 * mostKept.one || this.options.budget.characters > 0.9 * mostKept.all;
  }

  /** Forgets the kept events. */
  clear(): void {
    for (const key of [...this.kept.keys()]) this.forget(key);
  }

  /** Keeps events for the next `load`. The oldest ones are forgotten beyond eight megabytes, or 64 of all loaders. */
  keep(events: Iterable<readonly [EventRef, StoredEvent]>): void {
    for (const [ref, event] of events) {
      const key = keyOf(ref);
      this.forget(key);
      this.kept.set(key, event);
      this.count(sizeOf(event));
    }
    for (const key of this.kept.keys()) {
      if (this.keptCharacters <= mostKept.one && this.options.budget.characters <= mostKept.all) break;
      this.forget(key);
    }
  }

  /**
   * Returns the events that are there, by position; `gone` for those that will not come any more, because they were erased or
   * their stream was deleted. The kept ones among them are no longer kept.
   */
  async load(
    deliveries: readonly LoadableDelivery[],
    signal: AbortSignal,
  ): Promise<Map<string, StoredEvent | 'gone'>> {
    const found = new Map<string, StoredEvent>();
    const unknown: EventRef[] = [];
    for (const ref of deliveries.map(refOf)) {
      const event = this.kept.get(keyOf(ref)) ?? this.options.inTail(ref);
      this.forget(keyOf(ref));
      if (event) found.set(keyOf(ref), event);
      else if (this.options.nameOf(ref[0]) !== undefined) unknown.push(ref);
    }
    if (unknown.length > 0)
      await this.options.reads.run(signal, async (signal) => {
        for (let at = 0; at < unknown.length; at += maxOffsetRanges)
          await this.loadSome(unknown.slice(at, at + maxOffsetRanges), { found, signal });
      });
    return new Map(
      deliveries.flatMap((delivery) => {
        const key = keyOf(refOf(delivery));
        const known = this.found(delivery, found.get(key));
        return known ? [[key, known] as const] : [];
      }),
    );
  }

  private found(
    delivery: LoadableDelivery,
    event: StoredEvent | undefined,
  ): StoredEvent | 'gone' | undefined {
    const ref = refOf(delivery);
    const { missing } = this.options;
    if (this.options.nameOf(delivery.source) === undefined) return 'gone';
    if (this.options.isErased(ref, event ? event.entity_id : delivery.entity)) return 'gone';
    if (!event) return this.options.isStored(ref) && missing.isGone(keyOf(ref)) ? 'gone' : undefined;
    missing.found(keyOf(ref));
    return event;
  }

  private async loadSome(
    refs: readonly EventRef[],
    to: { found: Map<string, StoredEvent>; signal: AbortSignal },
  ): Promise<void> {
    const named = refs.flatMap(([source, partition, from]) => {
      const stream = this.options.nameOf(source);
      return stream === undefined ? [] : [{ source, stream, partition, from, until: from + 1 }];
    });
    if (named.length === 0) return;
    const ranges: OffsetRange[] = named.map(({ source: _, ...range }) => range);
    const sources = new Map(named.map(({ stream, source }) => [stream, source]));
    // The store may still have a row twice, so a page of as many rows as events can lack the last ones.
    const limit = 2 * ranges.length + 8;
    try {
      const query = { access: allStreams, ranges, limit, maxBytes: mostBytes };
      const { events, next } = await this.options.reader.inLogOrder(query, to.signal);
      for (const event of events)
        to.found.set(keyOf([sources.get(event.stream)!, event.partition, event.offset]), event);
      const isWhole = ranges.every(({ until }, i) => (next[i] ?? 0) >= until);
      if (!isWhole && refs.length > 1) await this.loadHalves(refs, to);
    } catch (error) {
      if (!(error instanceof QueryTooExpensiveError) || refs.length === 1) throw error;
      await this.loadHalves(refs, to);
    }
  }

  private async loadHalves(
    refs: readonly EventRef[],
    to: Parameters<typeof this.loadSome>[1],
  ): Promise<void> {
    const half = refs.length >> 1;
    await this.loadSome(refs.slice(0, half), to);
    await this.loadSome(refs.slice(half), to);
  }

  private count(characters: number): void {
    this.keptCharacters += characters;
    this.options.budget.characters += characters;
  }

  private forget(key: string): void {
    const event = this.kept.get(key);
    if (!event) return;
    this.kept.delete(key);
    this.count(-sizeOf(event));
  }
}

/** Milliseconds for which an event that the store does not have may still come, from a replica that lags. */
const missingMs = 60_000;
const mostMissing = 10_000;

/** Milliseconds after which an event is forgotten that nobody looks for any more. */
const forgetMs = 120_000;

/** The events that were not found: since when, and when they were looked for last, in milliseconds of `performance.now()`. */
export class MissingEvents {
  private readonly events = new Map<string, { since: number; askedAt: number }>();

  /** Whether an event that is not found again will not be found later either. */
  isGone(key: string): boolean {
    const now = performance.now();
    const { since } = this.events.get(key) ?? { since: now };
    if (now - since > missingMs) {
      this.events.delete(key);
      return true;
    }
    if (this.events.size >= mostMissing && !this.events.has(key)) this.forgetOld(now);
    // The others end first: then there is room for this one.
    if (this.events.size < mostMissing || this.events.has(key)) this.events.set(key, { since, askedAt: now });
    return false;
  }

  found(key: string): void {
    this.events.delete(key);
  }

  private forgetOld(now: number): void {
    for (const [key, { askedAt }] of this.events) if (now - askedAt > forgetMs) this.events.delete(key);
  }
}

export function keyOf([source, partition, offset]: EventRef): string {
  return `${source}/${partition}/${offset}`;
}

function sizeOf({ data, metadata }: StoredEvent): number {
  return data.length + metadata.length + 300;
}
