import { Inject, Injectable } from '@nestjs/common';
import { LOG } from '#app';
import type { SubscriptionDefinition } from '#features/subscriptions/definition';
import { formatTime } from '#json';
import type { PartitionOffsetRange, TopicAdmin } from '#kafka';
import type { SubscriptionStats } from './subscription-answers.js';
import { SubscriptionService } from './subscription-service.js';

/** Reads what subscriptions have handed out, and how far they are behind the ends of their streams. */
@Injectable()
export class SubscriptionStatsReader {
  constructor(
    private readonly service: SubscriptionService,
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'offsetsIn'> },
  ) {}

  /**
   * Resolves with the statistics of each subscription, in their order.
   * @throws LogUnavailableError
   */
  async of(definitions: readonly SubscriptionDefinition[]): Promise<SubscriptionStats[]> {
    if (definitions.length === 0) return [];
    const topics = definitions.flatMap((one) => this.service.streamsOf(one).map(({ topic }) => topic));
    const offsets = await this.log.admin.offsetsIn([...new Set(topics)]);
    return await Promise.all(definitions.map((one) => this.statsOf(one, offsets)));
  }

  private async statsOf(
    definition: SubscriptionDefinition,
    offsets: ReadonlyMap<string, readonly PartitionOffsetRange[]>,
  ): Promise<SubscriptionStats> {
    const state = await this.service.log.stateOf(definition.run.id);
    const { out: outstanding, retry: retrying, waiting, parked } = state.counts;
    let lag = 0;
    for (const { source, topic, starts } of this.service.streamsOf(definition))
      for (const { partition, end } of offsets.get(topic) ?? [])
        lag += Math.max(0, end - (state.nextOf(source, partition) ?? starts?.[partition] ?? 0));
    const since = state.oldestOut;
    const oldest_outstanding_at = since === undefined ? null : formatTime(since * 1000);
    return { outstanding, retrying, waiting, parked, lag, oldest_outstanding_at };
  }
}
