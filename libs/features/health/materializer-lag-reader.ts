import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, LOG } from '#app';
import { within } from '#async';
import { TopicAndGroupNames } from '#event';
import { TimeLagEstimator } from '#gateway-kit';
import type { Definitions, StreamDefinition } from '#registry';
import type { TopicAdmin } from '#kafka';
import { gauge } from '#telemetry';

export const groupLagRecords = gauge('tributary_group_lag_records', {
  help: 'Records in the log that a consumer group has not committed, measured by another process: materializer, processor.',
  labelNames: ['group'],
});

export const groupLagSeconds = gauge('tributary_group_lag_seconds', {
  help: 'Lower bound of the seconds for which a consumer group has had lag in its slowest partition, measured by another process; 0 without lag.',
  labelNames: ['group'],
});

/** The lag of the materializer or of the processors, as `/health` shows it: in events and in seconds. */
export interface ConsumerLag {
  lag_events: number;
  lag_seconds: number;
}

/**
 * Publishes the lag of a consumer group as metrics. The gateway publishes it, because a group that is down cannot
 * report its own lag.
 */
export function publishLagMetrics(
  group: 'materializer' | 'processor',
  { lag_events, lag_seconds }: ConsumerLag,
): void {
  groupLagRecords.set({ group }, lag_events);
  groupLagSeconds.set({ group }, lag_seconds);
}

interface KeyedPartitionOffsets {
  topic: string;
  key: string;
  end: number;
  committed: number;
}

/** Milliseconds that a caller of `recent` waits for a new measurement before it gets the previous one. */
const patienceMs = 1500;

/** Measures the materializer's lag over all streams, from the offsets that its group has committed. */
@Injectable()
export class MaterializerLagReader {
  private clocks = new Map<string, TimeLagEstimator>();
  private running: Promise<ConsumerLag> | undefined;
  private last: ConsumerLag | undefined;
  private byTopic: ReadonlyMap<string, number> = new Map();

  constructor(
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'offsetsIn' | 'committedIn'> },
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'streams'>,
    private readonly topics: TopicAndGroupNames,
  ) {}

  /**
   * Resolves with a new measurement of the lag, or with the previous one if the new one takes too long, as with
   * thousands of streams. Concurrent callers share one measurement.
   * @throws LogUnavailableError
   */
  async recent(): Promise<ConsumerLag> {
    this.running ??= this.measure(performance.now()).finally(() => (this.running = undefined));
    const { last, running } = this;
    if (!last) return running;
    running.catch(() => undefined);
    return within(patienceMs, running, () => last);
  }

  /** Resolves with the lag of each topic in records, of the measurement that `recent` returns. @throws LogUnavailableError */
  async recentByTopic(): Promise<ReadonlyMap<string, number>> {
    await this.recent();
    return this.byTopic;
  }

  /**
   * Measures the lag every `intervalMs` milliseconds, because the lag in seconds is computed from earlier measurements.
   * Calls `onMeasured` with each result. Returns a function that stops the measurements.
   */
  follow(intervalMs: number, onMeasured: (lag: ConsumerLag) => void): () => void {
    const timer = setInterval(() => {
      // The health check of the log reports a log that cannot be reached.
      this.recent().then(onMeasured, () => undefined);
    }, intervalMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Reads the offsets of every stream from the log; `now` is in milliseconds. @throws LogUnavailableError */
  async measure(now: number): Promise<ConsumerLag> {
    const streams = this.definitions.streams().filter(({ state }) => state === 'live');
    const total: ConsumerLag = { lag_events: 0, lag_seconds: 0 };
    const clocks = new Map<string, TimeLagEstimator>();
    const byTopic = new Map<string, number>();
    for (const { topic, key, ...progress } of await this.progress(streams)) {
      const clock = this.clocks.get(key) ?? new TimeLagEstimator();
      clocks.set(key, clock);
      const lag = Math.max(0, progress.end - progress.committed);
      byTopic.set(topic, (byTopic.get(topic) ?? 0) + lag);
      total.lag_events += lag;
      total.lag_seconds = Math.max(total.lag_seconds, clock.observe(progress, now));
    }
    // Removes the clocks of partitions that no longer exist.
    this.clocks = clocks;
    this.byTopic = byTopic;
    this.last = { ...total, lag_seconds: Math.round(total.lag_seconds * 1000) / 1000 };
    publishLagMetrics('materializer', this.last);
    return this.last;
  }

  /** Resolves with the offsets of every partition of these streams. A stream that has just been deleted has none. */
  private async progress(streams: readonly StreamDefinition[]): Promise<KeyedPartitionOffsets[]> {
    const { admin } = this.log;
    const partitionsOf = new Map(streams.map(({ id, partitions }) => [this.topics.ofStream(id), partitions]));
    const [offsets, committed] = await Promise.all([
      admin.offsetsIn([...partitionsOf.keys()]),
      admin.committedIn(this.topics.materializerGroup, partitionsOf),
    ]);
    return [...offsets].flatMap(([topic, partitions]) =>
      partitions.map(({ partition, beginning, end }) => ({
        topic,
        key: `${topic}:${partition}`,
        end,
        committed: committed.get(topic)?.get(partition) ?? beginning,
      })),
    );
  }
}
