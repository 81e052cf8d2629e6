import { setTimeout as sleep } from 'node:timers/promises';
import {
  MaterializedOffsetReader,
  type StalledConsumerDetector,
  type KafkaOrClickHouseRetrier,
} from '#engine';
import { allStreams } from '#api';
import { encodeRecord, type StoredEvent, type TopicAndGroupNames } from '#event';
import { parseTime } from '#json';
import { UnknownTopicError, type ConsumerRecord, type RecordBatch, type TopicAdmin } from '#kafka';
import { LogOrderPageReader, type EventReader } from '#store';
import type { Logger } from '#telemetry';
import type { PartitionProjector } from './partition-projector.js';
import { projectionUnstored } from './projection-metrics.js';

interface BackfillFromStoreDependencies {
  reader: Pick<EventReader, 'inLogOrder'>;
  admin: Pick<TopicAdmin, 'offsets' | 'committed'>;
  topics: TopicAndGroupNames;
  retry: KafkaOrClickHouseRetrier;
  progress: Pick<StalledConsumerDetector, 'attempted'>;
  logger: Logger;
  /**
   * Size of the id window in offsets: a repeated event id is recognised at most this many offsets after the first
   * record.
   */
  windowRecords: number;
  /** Milliseconds between two polls of the offset that the materializer has committed. */
  lookMs?: number;
}

/** A source partition of one generation, whose deleted records are read from the store. */
export interface ProjectionSourcePartition {
  /** Name of the projection. */
  name: string;
  topic: string;
  /** Id of the source stream. */
  stream: string;
  partition: number;
}

/** Receives events that are read from the store, in offset order, and folds them. */
interface BackfillConsumer {
  /** The progress of the partition, as `PartitionProjector.reached` defines it. */
  reached(): PartitionProjector['reached'];
  /** @param beginning First offset that Kafka still has. The batch may also contain events at or above this offset. */
  fold(batch: RecordBatch, beginning: number): Promise<void>;
}

/** An offset range whose events are read from the store. */
interface BackfillRange {
  from: number;
  until: number;
  /** First offset that Kafka still has. */
  beginning: number;
}

const page = { events: 2_000, bytes: 2 * 1024 * 1024 };

/** Reads events from ClickHouse whose records Kafka's retention has deleted. */
export class BackfillFromStore {
  private readonly materialized: MaterializedOffsetReader;

  constructor(private readonly dependencies: BackfillFromStoreDependencies) {
    this.materialized = new MaterializedOffsetReader(dependencies);
  }

  /**
   * Passes the events that Kafka no longer has to `consumer`, until Kafka has the next event. After each pass, the
   * beginning of the partition in Kafka is checked again, because retention continues meanwhile.
   * @throws the signal's reason, and the errors of `consumer`
   */
  async fill(
    place: ProjectionSourcePartition,
    consumer: BackfillConsumer,
    signal: AbortSignal,
  ): Promise<void> {
    for (;;) {
      const expired = await this.expired(place, consumer.reached(), signal);
      if (!expired) return;
      for await (const batch of this.read(place, expired, signal))
        await consumer.fold(batch, expired.beginning);
    }
  }

  /**
   * Resolves with the offset range that must be read from the store for a partition with this progress; undefined if
   * Kafka has all remaining events. Waits until the materializer has stored the events to fold. The range extends into
   * the offsets that Kafka still has, by the size of the id window: whether a record there repeats an event id may
   * depend on a deleted record, and the store has only the events that the materializer accepted.
   * @throws the signal's reason
   */
  async expired(
    place: ProjectionSourcePartition,
    { next, known }: PartitionProjector['reached'],
    signal: AbortSignal,
  ): Promise<BackfillRange | undefined> {
    const { windowRecords, progress, logger, lookMs = 1000 } = this.dependencies;
    const { name, stream, partition } = place;
    const from = Math.min(next, known);
    let unstored: number | undefined;
    for (;;) {
      const [beginning, stored] = await this.poll(place, signal);
      if (from >= beginning) return undefined;
      if (next >= beginning) return { from, until: beginning, beginning };
      if (stored >= beginning) {
        const until = Math.min(stored, beginning + windowRecords);
        if (unstored !== undefined) this.reportLoss(place, Math.max(next, unstored), beginning);
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

  /** Reads an offset range from the store, as batches of log records in offset order. @throws the signal's reason */
  private async *read(
    place: ProjectionSourcePartition,
    { from, until }: BackfillRange,
    signal: AbortSignal,
  ): AsyncGenerator<RecordBatch> {
    const { reader, retry } = this.dependencies;
    const { topic, stream, partition } = place;
    const pages = new LogOrderPageReader({ reader, ...page });
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

  /**
   * Resolves with the first offset that Kafka has, and with the offset that the materializer has committed. Every event
   * below the committed offset is either stored, or will never be stored.
   */
  private async poll(
    place: ProjectionSourcePartition,
    signal: AbortSignal,
  ): Promise<[beginning: number, stored: number]> {
    const { admin, retry } = this.dependencies;
    const { topic, partition } = place;
    const offsets = await retry.run('log', signal, () => admin.offsets(topic).catch(noneWhenGone));
    const { beginning = 0 } = offsets.find((one) => one.partition === partition) ?? {};
    return [beginning, (await this.materialized.of(place, signal)) ?? 0];
  }

  private reportLoss(
    { name, stream, partition }: ProjectionSourcePartition,
    from: number,
    until: number,
  ): void {
    if (from >= until) return;
    projectionUnstored.inc({ projection: name }, until - from);
    this.dependencies.logger.error(
      { projection: name, stream, partition, from, until },
      'Kafka deleted records before the materializer stored them; their events are missing from the projection',
    );
  }
}

/** Returns no offsets for an unknown topic, because its stream is being deleted. @throws every other error */
export function noneWhenGone(error: unknown): [] {
  if (error instanceof UnknownTopicError) return [];
  throw error;
}

/**
 * Encodes a stored event as a log record. The timestamp of the record is the event's ingestion time, which is slightly
 * earlier than the timestamp of the original record.
 */
function recordOf(event: StoredEvent, topic: string): ConsumerRecord {
  const [timestamp, ingested_at] = [parseTime(event.timestamp) ?? NaN, parseTime(event.ingested_at) ?? NaN];
  return {
    topic,
    partition: event.partition,
    offset: event.offset,
    key: null,
    headers: {},
    value: Buffer.from(encodeRecord({ ...event, timestamp, ingested_at })),
    timestamp: Math.floor(ingested_at / 1000),
  };
}
