import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { runningStatus } from '#gateway-kit';
import { parseTime } from '#json';
import type { Definitions } from '#registry';
import { onScrape } from '#telemetry';
import type { SubscriptionStats } from './subscription-answers.js';
import {
  beginCounters,
  removeSubscription,
  subscriptionGauges,
  subscriptionState,
} from './subscription-metrics.js';
import { SubscriptionService } from './subscription-service.js';
import { SubscriptionStatsReader } from './subscription-stats-reader.js';

/**
 * Publishes the metrics of all subscriptions. While at least one is defined, every gateway follows the topic `subscriptions`,
 * whether workers ask it or not: the alert on a subscription without workers needs a gateway that reports it. That costs one
 * consumer of one partition, and one request for the ends of the streams for each measurement. Without a definition, nothing
 * is read.
 */
@Injectable()
export class SubscriptionGauges {
  /** The names that have series. */
  private names: ReadonlySet<string> = new Set();

  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'subscriptions'>,
    @Inject(SubscriptionStatsReader) private readonly stats: Pick<SubscriptionStatsReader, 'of'>,
    @Inject(SubscriptionService) private readonly service: { log: Pick<SubscriptionService['log'], 'now'> },
  ) {}

  /** Measures every `intervalMs` milliseconds. Returns a function that stops it. */
  follow(intervalMs: number): () => void {
    let running = false;
    const timer = setInterval(() => {
      if (running) return;
      running = true;
      // The health check of the log reports a log that cannot be reached.
      this.measure()
        .catch(() => undefined)
        .finally(() => (running = false));
    }, intervalMs);
    timer.unref();
    const unpublish = onScrape(() => this.publishDefinitions());
    return () => {
      clearInterval(timer);
      unpublish();
    };
  }

  /** Publishes the state of each definition, and removes the series of those that were deleted. */
  publishDefinitions(): void {
    const all = this.definitions.subscriptions.all();
    const names = new Set(all.map(({ name }) => name));
    for (const name of this.names) if (!names.has(name)) removeSubscription(name);
    this.names = names;
    subscriptionState.reset();
    for (const one of all) {
      beginCounters(one.name);
      subscriptionState.set({ subscription: one.name, state: runningStatus(one) }, 1);
    }
  }

  /** Reads the numbers of all subscriptions, and publishes them. @throws LogUnavailableError */
  async measure(): Promise<void> {
    const all = this.definitions.subscriptions.all();
    const measured = await this.stats.of(all);
    this.publishDefinitions();
    measured.forEach((stats, i) => {
      const { name } = all[i]!;
      if (this.names.has(name)) this.publish(name, stats);
    });
  }

  private publish(subscription: string, { oldest_outstanding_at, ...stats }: SubscriptionStats): void {
    const { outstanding, retrying, waiting, parked, lag, oldest } = subscriptionGauges;
    outstanding.set({ subscription }, stats.outstanding);
    retrying.set({ subscription }, stats.retrying);
    waiting.set({ subscription }, stats.waiting);
    parked.set({ subscription }, stats.parked);
    lag.set({ subscription }, stats.lag);
    const since = oldest_outstanding_at === null ? undefined : parseTime(oldest_outstanding_at);
    oldest.set(
      { subscription },
      since === undefined ? 0 : Math.max(0, this.service.log.now / 1000 - since / 1e6),
    );
  }
}
