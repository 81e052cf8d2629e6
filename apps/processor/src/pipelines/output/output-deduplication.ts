import { MaterializedOffset, type Progress, type Retry } from '#engine';
import { streamName, type Micros, type TopicNames } from '#event';
import type { Definitions } from '#registry';
import { UnknownTopicError, type TopicAdmin } from '#log';
import { maxOffsetRanges, maxStoredIds, type EventReader, type OffsetRange } from '#store';
import type { IdWindowBounds } from '#dataflow';
import type { Logger } from '#telemetry';

export interface DeduplicationParts {
  admin: Pick<TopicAdmin, 'offsets' | 'offsetsAt' | 'committed'>;
  reader: Pick<EventReader, 'storedIds'>;
  definitions: Pick<Definitions, 'stream'>;
  topics: TopicNames;
  retry: Retry;
  progress: Pick<Progress, 'attempted'>;
  logger: Logger;
  window: IdWindowBounds;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Milliseconds between two looks at how far the materializer is. */
  lookMs?: number;
}

/** A partition that somebody takes over. */
export interface Failover {
  savedAt: Micros;
  streams: Iterable<string>;
  end: number;
}

/** A partition of a stream that is written to: what may have been written after the save. */
interface Written extends OffsetRange {
  topic: string;
}

/** The clock that stamped what was saved is the one that stamped what was written then, unless it was set back. */
const marginMs = 1000;
/**
 * Ids in a row that were not there, after which none is: twice what is written at once. Of that some may be missing.
 */
const mostMissed = 10_000;
/**
 * Within this share of the id window, whoever reads the streams knows what is repeated: the rest is for what comes
 * meanwhile.
 */
const share = 2;

/**
 * What was written of a partition after it was last saved, when whoever had it died: it comes once more, under the
 * same ids. Readers of a stream know such a repetition by their id window; where more was written to the stream
 * since, by whomever, than half of it holds, the store says what is there.
 */
export class OutputDeduplication {
  private missed = 0;
  private settled = false;

  private constructor(
    private readonly parts: DeduplicationParts,
    private readonly written: readonly Written[],
    private readonly failover: Failover,
  ) {}

  /**
   * When the partition was saved last. A member that takes it over before the deduplication ends begins from the same
   * time.
   */
  get savedAt(): Micros {
    return this.failover.savedAt;
  }

  /**
   * Returns undefined where the id windows suffice.
   * @param savedAt when the partition was last saved
   * @param streams to which the job writes
   * @param end the partition's present end: later records have not been read before
   * @throws the signal's reason
   */
  static async since(
    parts: DeduplicationParts,
    failover: Failover,
    signal: AbortSignal,
  ): Promise<OutputDeduplication | undefined> {
    const { streams, savedAt } = failover;
    const written: Written[] = [];
    for (const stream of streams)
      written.push(...(await parts.retry.run('log', signal, () => writtenTo(parts, stream, savedAt))));
    const { window, now } = parts;
    const isOld = now() - savedAt / 1000 > window.milliseconds / share;
    const isFar = written.some(({ from, until }) => until - from > window.records / share);
    return (isOld || isFar) && written.length > 0
      ? new OutputDeduplication(parts, written, failover)
      : undefined;
  }

  /**
   * Those of the ids that are in the stream already. Waits until the materializer has passed what was there at the
   * failover.
   * @throws the signal's reason
   */
  async among(stream: string, ids: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const ranges = this.written.filter((range) => streamName(range.stream) === stream);
    const found = new Set<string>();
    if (ranges.length > 0 && ids.length > 0) await this.settle(signal);
    for (let at = 0; at < ranges.length; at += maxOffsetRanges) {
      const some = ranges
        .slice(at, at + maxOffsetRanges)
        .map((range) => ({ ...range, until: Number.MAX_SAFE_INTEGER }));
      for (let first = 0; first < ids.length; first += maxStoredIds) {
        const query = { ranges: some, ids: ids.slice(first, first + maxStoredIds) };
        const stored = await this.parts.retry.run('store', signal, () =>
          this.parts.reader.storedIds(query, signal),
        );
        for (const id of stored) found.add(id);
      }
    }
    this.missed = found.size > 0 ? 0 : this.missed + ids.length;
    return found;
  }

  /** Nothing that comes from this offset on is there already. */
  isOver(next: number): boolean {
    return next >= this.failover.end || this.missed >= mostMissed;
  }

  private async settle(signal: AbortSignal): Promise<void> {
    const { parts, written } = this;
    const materialized = new MaterializedOffset(parts);
    for (const one of this.settled ? [] : written) {
      if (!isThere(parts, one)) continue;
      let warned = false;
      await materialized.reaches(one, signal, () => {
        const { stream, partition, until } = one;
        if (!warned) parts.logger.warn({ stream, partition, until }, 'waiting for the materializer');
        warned = true;
        parts.progress.attempted();
        return isThere(parts, one);
      });
    }
    this.settled = true;
  }
}

async function writtenTo(
  { admin, topics, definitions }: DeduplicationParts,
  stream: string,
  savedAt: Micros,
): Promise<Written[]> {
  const id = definitions.stream(stream)?.id;
  if (id === undefined) return [];
  const topic = topics.ofStream(id);
  try {
    const starts = await admin.offsetsAt(topic, Math.floor(savedAt / 1000) - marginMs);
    const ends = await admin.offsets(topic);
    return ends
      .map(({ partition, end }) => ({ from: starts.get(partition) ?? 0, partition, until: end }))
      .filter(({ from, until }) => from < until)
      .map((range) => ({ stream: id, topic, ...range }));
  } catch (error) {
    if (error instanceof UnknownTopicError) return [];
    throw error;
  }
}

/** What was in a stream that is gone, the materializer never passes: nobody reads it either. */
function isThere({ definitions }: DeduplicationParts, { stream }: Written): boolean {
  const now = definitions.stream(streamName(stream));
  return now?.state === 'live' && now.id === stream;
}
