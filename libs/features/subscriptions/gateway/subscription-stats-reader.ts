import { Injectable } from '@nestjs/common';
import type { SubscriptionDefinition } from '#features/subscriptions/definition';

/** Statistics of one subscription, which the answers of GET contain beside its definition. */
export type SubscriptionStats = object;

/** Reads the statistics of subscriptions. There are none yet. */
@Injectable()
export class SubscriptionStatsReader {
  /** Resolves with the statistics of each subscription, in their order. */
  of(
    definitions: readonly SubscriptionDefinition[],
    _client: AbortSignal,
  ): Promise<readonly SubscriptionStats[]> {
    return Promise.resolve(definitions.map(() => ({})));
  }
}
