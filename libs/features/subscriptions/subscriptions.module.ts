import { Inject, Module } from '@nestjs/common';
import { PROCESS } from '#app';
import { LiveModule } from '#features/events';
import type { ProcessContext } from '#http';
import { ConsumptionController } from './gateway/consumption.controller.js';
import { Settlement } from './gateway/settlement.js';
import { SubscriptionGauges } from './gateway/subscription-gauges.js';
import { SubscriptionResource } from './gateway/subscription-resource.js';
import { subscriptionControllers } from './gateway/subscription-routes.js';
import { SubscriptionService } from './gateway/subscription-service.js';
import { SubscriptionStatsReader } from './gateway/subscription-stats-reader.js';
import { VisibleSubscriptions } from './gateway/visible-subscriptions.js';

/** Milliseconds between two measurements of all subscriptions. */
const gaugesIntervalMs = 15_000;

/** Nest module of the routes of subscriptions. */
@Module({
  imports: [LiveModule],
  controllers: [subscriptionControllers.all, ConsumptionController, subscriptionControllers.one],
  providers: [
    VisibleSubscriptions,
    SubscriptionService,
    SubscriptionResource,
    SubscriptionStatsReader,
    SubscriptionGauges,
    Settlement,
  ],
})
export class SubscriptionsModule {
  constructor(
    @Inject(PROCESS) { lifecycle }: ProcessContext,
    service: SubscriptionService,
    gauges: SubscriptionGauges,
  ) {
    let unfollow: () => void = () => undefined;
    lifecycle.onStart(async () => void (unfollow = gauges.follow(gaugesIntervalMs)));
    lifecycle.stopping.addEventListener('abort', () => service.stopWaiting(), { once: true });
    lifecycle.onStop('subscriptions', () => {
      unfollow();
      return service.close();
    });
  }
}
