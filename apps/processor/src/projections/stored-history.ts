import { setTimeout as sleep } from 'node:timers/promises';
import { MaterializedOffset, type Progress, type Retry } from '#engine';
import { allStreams } from '#api';
import { encodeRecord, parseTime, type StoredEvent, type TopicNames } from '#event';
import { UnknownTopicError, type LogRecord, type RecordBatch, type TopicAdmin } from '#log';
import { PageReader, type EventReader } from '#store';
import { metrics, type Logger } from '#telemetry';

export interface StoredHistoryParts {
  reader: Pick<EventReader, 'inLogOrder'>;
  admin: Pick<TopicAdmin, 'offsets' | 'committed'>;
  topics: TopicNames;
  retry: Retry;
  progress: Pick<Progress, 'attempted'>;
  logger: Logger;
  /** Offsets before a record that decide whether its id is repeated. */
  windowRecords: number;
  /** Milliseconds between two looks at how far the materializer is. */
  lookMs?: number;
}

/** A partition, as one build reads it. */
export interface HistoryPlace {
  /** Of the projection. */
  name: string;
  topic: string;
  /** Its id. */
  stream: string;
  partition: number;
}

/** How far somebody is who folds a partition. */
export interface Reached {
  next: number;
  known: number;
}

/** Who folds what is read, in the order of the log. */
export interface HistoryFolder {
  reached(): Reached;
  /** @param beginning Of the log: events from there on are in it, too. */
  fold(batch: RecordBatch, beginning: number): Promise<void>;
}

/** Offsets to be read from the store. */
interface Expired {
  from: number;
  until: number;
  /** What is below it the log has no more. */
  beginning: number;
}

const page = { events: 2_000, bytes: 2 * 1024 * 1024 };

/** Reads from the store what the log's retention has taken. */
export class StoredHistory {
  private readonly materialized: MaterializedOffset;

  constructor(private readonly parts: StoredHistoryParts) {
    this.materialized = new MaterializedOffset(parts);
  }

  /**
   * Hands over what the log has no more, until the log has what follows: its beginning moves on meanwhile.
   * @throws the signal's reason, and what the folding throws
   */
  async fill(place: HistoryPlace, folder: HistoryFolder, signal: AbortSignal): Promise<void> {
    for (;;) {
      const expired = await this.expired(place, folder.reached(), signal);
      if (!expired) return;
      for await (const batch of this.read(place, expired, signal))
        await folder.fold(batch, expired.beginning);
    }
  }

  /**
   * What is to be read from the store by whoever has folded everything below `next`, and knows every id below `known` that
   * can be repeated; undefined when the log has it. Waits until the materializer is past what is to be folded. It goes on
   * into what the log has, as far as a window of ids: that some record is a repetition may follow from one that is gone,
   * and the store has what the materializer has decided.
   * @throws the signal's reason
   */
  async expired(
    place: HistoryPlace,
    { next, known }: Reached,
    signal: AbortSignal,
  ): Promise<Expired | undefined> {
    const { windowRecords, progress, logger, lookMs = 1000 } = this.parts;
    const { name, stream, partition } = place;
    const from = Math.min(next, known);
    let unstored: number | undefined;
    for (;;) {
      const [beginning, stored] = await this.look(place, signal);
      if (from >= beginning) return undefined;
      if (next >= beginning) return { from, until: beginning, beginning };
      if (stored >= beginning) {
        const until = Math.min(stored, beginning + windowRecords);
        if (unstored !== undefined) this.tell(place, { from: Math.max(next, unstored), until: beginning });
        return { from, until, beginning };
      }
      if (unstored === undefined)
        logger.warn(
          { projection: name, stream, partition, stored, beginning },
          'waiting for the materializer',
        );
      unstored ??= stored;
      progress.attempted();
      await sleep(lookMs, undefined, { signal });
    }
  }

  /** Its events in the order of the log, as batches of the log. @throws the signal's reason */
  private async *read(
    place: HistoryPlace,
    { from, until }: Expired,
    signal: AbortSignal,
  ): AsyncGenerator<RecordBatch> {
    const { reader, retry } = this.parts;
    const { topic, stream, partition } = place;
    const pages = new PageReader({ reader, ...page });
    for (let next = from; next < until;) {
      const range = { stream, partition, from: next, until };
      const { events, reached } = await retry.run('store', signal, () =>
        pages.read({ access: allStreams }, [range], signal),
      );
      next = reached[0]?.next ?? until;
      const records = events.map((event) => recordOf(event, topic));
      const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
      yield { topic, partition, records, bytes, next, highWatermark: next };
    }
  }

  /** Where the log begins, and up to where everything is stored that ever will be. */
  private async look(place: HistoryPlace, signal: AbortSignal): Promise<[beginning: number, stored: number]> {
    const { admin, retry } = this.parts;
    const { topic, partition } = place;
    const offsets = await retry.run('log', signal, () => admin.offsets(topic).catch(noneWhenGone));
    const { beginning = 0 } = offsets.find((one) => one.partition === partition) ?? {};
    return [beginning, (await this.materialized.of(place, signal)) ?? 0];
  }

  private tell(
    { name, stream, partition }: HistoryPlace,
    { from, until }: { from: number; until: number },
  ): void {
    if (from >= until) return;
    metrics.projectionUnstored.inc({ projection: name }, until - from);
    this.parts.logger.error(
      { projection: name, stream, partition, from, until },
      'the log has let go of records before the materializer was past them: what is not stored is in no state',
    );
  }
}

/** The stream is being deleted: nothing more of it is wanted. */
function noneWhenGone(error: unknown): [] {
  if (error instanceof UnknownTopicError) return [];
  throw error;
}

/** As it was in the log. It was written a moment after it was ingested. */
function recordOf(event: StoredEvent, topic: string): LogRecord {
  const [timestamp, ingested_at] = [parseTime(event.timestamp) ?? NaN, parseTime(event.ingested_at) ?? NaN];
  return {
    ...{ topic, partition: event.partition, offset: event.offset, key: null, headers: {} },
    value: Buffer.from(encodeRecord({ ...event, timestamp, ingested_at })),
    timestamp: Math.floor(ingested_at / 1000),
  };
}
