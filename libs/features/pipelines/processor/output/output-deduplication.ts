import {
  MaterializedOffsetReader,
  type StalledConsumerDetector,
  type KafkaOrClickHouseRetrier,
} from '#engine';
import { streamNameOf, type TopicAndGroupNames } from '#event';
import type { EpochMicros } from '#json';
import type { Definitions } from '#registry';
import { UnknownTopicError, type TopicAdmin } from '#kafka';
import { maxOffsetRanges, maxStoredIds, type EventReader, type OffsetRange } from '#store';
import type { IdWindowBounds } from '#dataflow';
import type { Logger } from '#telemetry';

export interface DeduplicationDependencies {
  admin: Pick<TopicAdmin, 'offsets' | 'offsetsAt' | 'committed'>;
  reader: Pick<EventReader, 'storedIds'>;
  definitions: Pick<Definitions, 'stream'>;
  topics: TopicAndGroupNames;
  retry: KafkaOrClickHouseRetrier;
  progress: Pick<StalledConsumerDetector, 'attempted'>;
  logger: Logger;
  window: IdWindowBounds;
  /** Returns the current time in milliseconds since 1970. */
  now: () => number;
  /** Milliseconds between two polls of the offset that the materializer has committed. */
  lookMs?: number;
}

/**
 * A takeover of a partition by another process: the time of the partition's last checkpoint, the job's target streams,
 * and the partition's end offset at the takeover.
 */
export interface PartitionFailover {
  savedAt: EpochMicros;
  streams: Iterable<string>;
  end: number;
}

/** An offset range of a target stream that may contain output which the job wrote after its last checkpoint. */
interface PossibleOutputRange extends OffsetRange {
  topic: string;
}

/**
 * Milliseconds by which the search starts before the time of the checkpoint. The same clock stamps the checkpoint and
 * the records, so this margin is needed only if the clock was set back.
 */
const marginMs = 1000;
/**
 * Number of consecutive event ids that are not found, after which no later id can be found. The number is twice the
 * size of one write, because some records of the last write may be missing.
 */
const mostMissed = 10_000;
/**
 * Divisor of the id window. Within the first half of their id window, readers of a stream recognise repeated output
 * themselves. The second half of the id window is a reserve for records that arrive in the stream before the output is
 * repeated.
 */
const share = 2;

/**
 * Finds the output that the previous owner of a partition wrote after its last checkpoint. The new owner computes this
 * output again, with the same event ids. Readers of a stream drop repeated event ids that are in their id window. If
 * the checkpoint is further back than half of the id window, `OutputDeduplication` looks up the event ids in the store.
 */
export class OutputDeduplication {
  private missed = 0;
  private settled = false;

  private constructor(
    private readonly dependencies: DeduplicationDependencies,
    private readonly written: readonly PossibleOutputRange[],
    private readonly failover: PartitionFailover,
  ) {}

  /**
   * The time of the partition's last checkpoint before the takeover. A process that takes over the partition again,
   * before this deduplication ends, starts from the same time.
   */
  get savedAt(): EpochMicros {
    return this.failover.savedAt;
  }

  /**
   * Resolves with the deduplication for a takeover; undefined if the id windows of the readers suffice.
   * @param failover `savedAt`: time of the last checkpoint. `streams`: names of the job's target streams. `end`:
   *   current end offset of the partition; no process has read a later record.
   * @throws the signal's reason
   */
  static async since(
    dependencies: DeduplicationDependencies,
    failover: PartitionFailover,
    signal: AbortSignal,
  ): Promise<OutputDeduplication | undefined> {
    const { streams, savedAt } = failover;
    const written: PossibleOutputRange[] = [];
    for (const stream of streams)
      written.push(
        ...(await dependencies.retry.run('log', signal, () => writtenTo(dependencies, stream, savedAt))),
      );
    const { window, now } = dependencies;
    const isOld = now() - savedAt / 1000 > window.milliseconds / share;
    const isFar = written.some(({ from, until }) => until - from > window.records / share);
    return (isOld || isFar) && written.length > 0
      ? new OutputDeduplication(dependencies, written, failover)
      : undefined;
  }

  /**
   * Resolves with those of the event ids that the stream already has. Waits until the materializer has stored all
   * events that the stream had at the takeover.
   * @throws the signal's reason
   */
  async among(stream: string, ids: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const ranges = this.written.filter((range) => streamNameOf(range.stream) === stream);
    const found = new Set<string>();
    if (ranges.length > 0 && ids.length > 0) await this.settle(signal);
    for (let at = 0; at < ranges.length; at += maxOffsetRanges) {
      const some = ranges
        .slice(at, at + maxOffsetRanges)
        .map((range) => ({ ...range, until: Number.MAX_SAFE_INTEGER }));
      for (let first = 0; first < ids.length; first += maxStoredIds) {
        const query = { ranges: some, ids: ids.slice(first, first + maxStoredIds) };
        const stored = await this.dependencies.retry.run('store', signal, () =>
          this.dependencies.reader.storedIds(query, signal),
        );
        for (const id of stored) found.add(id);
      }
    }
    this.missed = found.size > 0 ? 0 : this.missed + ids.length;
    return found;
  }

  /** Returns whether no process can have written output of records from this offset on before the takeover. */
  isOver(next: number): boolean {
    return next >= this.failover.end || this.missed >= mostMissed;
  }

  private async settle(signal: AbortSignal): Promise<void> {
    const { dependencies, written } = this;
    const materialized = new MaterializedOffsetReader(dependencies);
    for (const one of this.settled ? [] : written) {
      if (!isThere(dependencies, one)) continue;
      let warned = false;
      await materialized.reaches(one, signal, () => {
        const { stream, partition, until } = one;
        if (!warned)
          dependencies.logger.warn(
            { stream, partition, until },
            'waiting until the materializer has stored the previous output',
          );
        warned = true;
        dependencies.progress.attempted();
        return isThere(dependencies, one);
      });
    }
    this.settled = true;
  }
}

async function writtenTo(
  { admin, topics, definitions }: DeduplicationDependencies,
  stream: string,
  savedAt: EpochMicros,
): Promise<PossibleOutputRange[]> {
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

/**
 * Returns whether the target stream still exists. The materializer does not store all events of a deleted stream, and
 * nobody reads a deleted stream, so the deduplication does not wait for its output.
 */
function isThere({ definitions }: DeduplicationDependencies, { stream }: PossibleOutputRange): boolean {
  const now = definitions.stream(streamNameOf(stream));
  return now?.state === 'live' && now.id === stream;
}
