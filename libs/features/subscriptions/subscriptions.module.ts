import { Inject, Module } from '@nestjs/common';
import { PROCESS } from '#app';
import { LiveModule } from '#features/events';
import type { ProcessContext } from '#http';
import { ConsumptionController } from './gateway/consumption.controller.js';
import { Settlement } from './gateway/settlement.js';
import { SubscriptionResource } from './gateway/subscription-resource.js';
import { subscriptionControllers } from './gateway/subscription-routes.js';
import { SubscriptionService } from './gateway/subscription-service.js';
import { SubscriptionStatsReader } from './gateway/subscription-stats-reader.js';
import { VisibleSubscriptions } from './gateway/visible-subscriptions.js';

/** Nest module of the routes of subscriptions. */
@Module({
  imports: [LiveModule],
  controllers: [subscriptionControllers.all, ConsumptionController, subscriptionControllers.one],
  providers: [
    VisibleSubscriptions,
    SubscriptionService,
    SubscriptionResource,
    SubscriptionStatsReader,
    Settlement,
  ],
})
export class SubscriptionsModule {
  constructor(@Inject(PROCESS) { lifecycle }: ProcessContext, service: SubscriptionService) {
    lifecycle.stopping.addEventListener('abort', () => service.stopWaiting(), { once: true });
    lifecycle.onStop('subscriptions', () => service.close());
  }
}
