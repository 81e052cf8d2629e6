import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, LOG } from '#app';
import { within } from '#async';
import { TopicAndGroupNames } from '#event';
import type { TopicAdmin } from '#kafka';
import type { Definitions, StreamDefinition } from '#registry';
import { MaterializerLagReader } from '#features/health';

/**
 * Bytes that Kafka stores of a stream, and records of the stream that the materializer has not stored in ClickHouse
 * yet.
 */
export interface StreamSizeAndLag {
  bytes: number | null;
  lag: number | null;
}

/** Milliseconds for which the topic sizes that Kafka has returned are reused. */
const keptMs = 5_000;

type Sizes = ReadonlyMap<string, number>;

/** Milliseconds to wait for Kafka, after which an answer omits what only Kafka knows. */
const patienceMs = 1000;

/** Resolves with the result of a request to Kafka, or with null if the request fails or takes longer than a second. */
export function withinPatience<T>(result: Promise<T>): Promise<T | null> {
  return within(patienceMs, result, () => null).catch(() => null);
}

/**
 * Reads the size and the lag of streams from Kafka. All callers share one measurement of all streams at a time, so the
 * number of requests to Kafka does not depend on the number of callers.
 */
@Injectable()
export class StreamSizeAndLagReader {
  private sizes: { until: number; answer: Promise<Sizes> } | undefined;

  constructor(
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'bytesIn'> },
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'streams'>,
    private readonly lag: MaterializerLagReader,
    private readonly topics: TopicAndGroupNames,
  ) {}

  /** Resolves with a function that returns the usage of a stream: null members if Kafka does not answer within a second. */
  async read(): Promise<(stream: Pick<StreamDefinition, 'id'>) => StreamSizeAndLag> {
    const [sizes, lags] = await Promise.all([
      withinPatience(this.recentSizes()),
      withinPatience(this.lag.recentByTopic()),
    ]);
    return ({ id }) => {
      const topic = this.topics.ofStream(id);
      return { bytes: sizes?.get(topic) ?? null, lag: lags?.get(topic) ?? null };
    };
  }

  private recentSizes(): Promise<Sizes> {
    const now = performance.now();
    if (this.sizes && now < this.sizes.until) return this.sizes.answer;
    const live = this.definitions.streams().filter(({ state }) => state === 'live');
    const answer = this.log.admin.bytesIn(live.map(({ id }) => this.topics.ofStream(id)));
    const sizes = { until: Infinity, answer };
    this.sizes = sizes;
    answer.then(
      () => (sizes.until = performance.now() + keptMs),
      () => (sizes.until = 0),
    );
    return answer;
  }
}
