import { allStreams } from '#api';
import type { StoredEvent } from '#event';
import { maxOffsetRanges, QueryTooExpensiveError, type EventReader, type OffsetRange } from '#store';
import type { EventRef } from '../state/subscription-command.js';

interface EventLoaderOptions {
  reader: Pick<EventReader, 'inLogOrder'>;
  /** Returns the name of the stream with this id; undefined if it was deleted. */
  nameOf(source: string): string | undefined;
}

/** Limit of an answer of the store, in bytes. */
const mostBytes = 12 * 1024 * 1024;
/** Milliseconds for which an event that the store does not have may still come, from a replica that lags. */
const missingMs = 60_000;
const keptCharacters = 4 * 1024 * 1024;
const mostMissing = 10_000;

/** Loads single events by their positions, and keeps those for a while that were read and could not be handed out yet. */
export class EventLoader {
  private readonly kept = new Map<string, StoredEvent>();
  private keptCharacters = 0;
  /** Since when an event is missing, in milliseconds of `performance.now()`. */
  private readonly missing = new Map<string, number>();

  constructor(private readonly options: EventLoaderOptions) {}

  /** Keeps events for the next `load`. The oldest ones are forgotten beyond four megabytes. */
  keep(events: Iterable<readonly [EventRef, StoredEvent]>): void {
    for (const [ref, event] of events) {
      this.kept.set(keyOf(ref), event);
      this.keptCharacters += sizeOf(event);
    }
    for (const [key, event] of this.kept) {
      if (this.keptCharacters <= keptCharacters) break;
      this.forget(key, event);
    }
  }

  /** Returns the events that are there, by position. The kept ones among them are no longer kept. */
  async load(refs: readonly EventRef[], signal: AbortSignal): Promise<Map<string, StoredEvent>> {
    const found = new Map<string, StoredEvent>();
    const unknown: EventRef[] = [];
    for (const ref of refs) {
      const key = keyOf(ref);
      const event = this.kept.get(key);
      if (event) {
        this.forget(key, event);
        found.set(key, event);
      } else unknown.push(ref);
    }
    for (let at = 0; at < unknown.length; at += maxOffsetRanges)
      await this.loadSome(unknown.slice(at, at + maxOffsetRanges), { found, signal });
    return found;
  }

  /** Whether an event that was not found will not be found later either: it was erased, or its stream was deleted. */
  isGone(ref: EventRef): boolean {
    const [source] = ref;
    if (this.options.nameOf(source) === undefined) return true;
    const key = keyOf(ref);
    const since = this.missing.get(key);
    if (since !== undefined && performance.now() - since > missingMs) {
      this.missing.delete(key);
      return true;
    }
    if (this.missing.size >= mostMissing) this.missing.clear();
    this.missing.set(key, since ?? performance.now());
    return false;
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
    try {
      const query = { access: allStreams, ranges, limit: ranges.length, maxBytes: mostBytes };
      const { events } = await this.options.reader.inLogOrder(query, to.signal);
      for (const event of events)
        to.found.set(keyOf([sources.get(event.stream)!, event.partition, event.offset]), event);
    } catch (error) {
      if (!(error instanceof QueryTooExpensiveError) || refs.length === 1) throw error;
      const half = refs.length >> 1;
      await this.loadSome(refs.slice(0, half), to);
      await this.loadSome(refs.slice(half), to);
    }
  }

  private forget(key: string, event: StoredEvent): void {
    if (this.kept.delete(key)) this.keptCharacters -= sizeOf(event);
  }
}

export function keyOf([source, partition, offset]: EventRef): string {
  return `${source}/${partition}/${offset}`;
}

function sizeOf({ data, metadata }: StoredEvent): number {
  return data.length + metadata.length + 300;
}
